internal import FoundationEssentials
internal import SecretService
package import SharedAuth
package import Testing

/// The bytes of stored formats that are checked in, in `Tests/Fixtures/GoldenBytes`.
package enum GoldenBytes {
    private static let folder = Checkout.root.appending(path: "Tests/Fixtures/GoldenBytes")

    /// Returns the path of a golden file or directory.
    package static func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Returns the bytes of a golden file.
    package static func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path(name))))
    }

    /// Returns the text of a golden file.
    package static func text(_ name: String) throws -> String { String(decoding: try read(name), as: UTF8.self) }

    /// Expects the written bytes to equal a golden file. Otherwise keeps them in `.build/golden` for comparison.
    package static func expect(
        _ written: [UInt8],
        equalFile name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        if let golden = try? read(name), golden == written { return }
        let copy = Checkout.root.appending(path: ".build/golden/\(name)")
        try FileManager.default.createDirectory(
            at: copy.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(written).write(to: copy)
        Issue.record(
            "The stored format has changed: \(name) differs from what is written now, which is in \(copy.path).",
            sourceLocation: sourceLocation
        )
    }
}

/// The records of a store as lines of text: scope, project, instance, kind and payload.
package enum RecordLines {
    /// A line that is no record.
    struct Malformed: Error {
        let line: String
    }

    /// Returns the records under these keys as sorted lines, without the keys that have no record.
    package static func dump(_ keys: some Sequence<RecordKey>, of store: any RecordStore) throws -> String {
        var lines: Set<String> = []
        for key in keys {
            guard case .whole(let record) = try store.read(key, by: .patient) else { continue }
            let words = [scope(key.scope), key.project, key.instance, key.kind]
            lines.insert((words + [String(decoding: record.payload, as: UTF8.self)]).joined(separator: " "))
        }
        return lines.sorted().map { "\($0)\n" }.joined()
    }

    /// Stores every record of a text.
    package static func load(_ text: String, into store: any RecordStore) throws {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 4)
            guard words.count == 5 else { throw Malformed(line: String(line)) }
            let key = RecordKey(
                scope: try scope(words[0]),
                project: String(words[1]),
                instance: String(words[2]),
                kind: String(words[3])
            )
            try store.update(key, by: .patient) { _ in .write(Array(words[4].utf8)) }
        }
    }

    private static func scope(_ scope: RecordKey.Scope) -> String {
        switch scope {
        case .app(let appID): "app:\(appID)"
        case .group(let group): "group:\(group)"
        case .project: "project"
        }
    }

    private static func scope(_ text: Substring) throws -> RecordKey.Scope {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        return switch (parts.first, parts.last) {
        case ("app", let appID?): .app(appID)
        case ("group", let name?): .group(name)
        case ("project", _): .project
        default: throw Malformed(line: String(text))
        }
    }
}
