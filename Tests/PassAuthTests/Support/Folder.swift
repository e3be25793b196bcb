import FoundationEssentials

/// A folder for one test, deleted after it.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/sharedauth-pass-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Makes a file, and the folders on the way to it.
    @discardableResult
    func file(_ name: String, _ content: String) throws -> String {
        let path = "\(path)/\(name)"
        if let slash = path.lastIndex(of: "/") {
            try FileManager.default.createDirectory(
                atPath: String(path[..<slash]),
                withIntermediateDirectories: true
            )
        }
        try Data(content.utf8).write(to: URL(filePath: path))
        return path
    }
}
