import FoundationEssentials
import TestSupport

/// A directory for one test, with files.
struct Folder {
    let path = TestDirectory.newPath()

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

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
