internal import FoundationEssentials
package import Testing

/// The bytes of stored formats that are checked in, in `Tests/GoldenBytes`.
package enum GoldenBytes {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The path of a golden file or directory.
    package static func path(_ name: String) -> String { root.appending(path: "GoldenBytes/\(name)").path }

    /// The bytes of a golden file.
    package static func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path(name))))
    }

    /// The text of a golden file.
    package static func text(_ name: String) throws -> String { String(decoding: try read(name), as: UTF8.self) }

    /// Expects that what was written is exactly a golden file; else keeps it in `.build/golden` to compare with.
    package static func expect(
        _ written: [UInt8],
        areThoseOf name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        if let golden = try? read(name), golden == written { return }
        let copy = root.deletingLastPathComponent().appending(path: ".build/golden/\(name)")
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
