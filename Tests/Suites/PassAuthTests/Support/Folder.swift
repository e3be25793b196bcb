import FoundationEssentials
import TestSupport

/// A directory with files for one test.
struct Folder {
    let path = TestDirectory.newPath()

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

    /// Creates a file and its parent folders.
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
