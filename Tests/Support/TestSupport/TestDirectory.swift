internal import Foundation

/// The directory of this process's tests; it is deleted when the process ends.
package enum TestDirectory {
    private static let root: String = {
        let path = FileManager.default.temporaryDirectory.appending(path: "sharedauth-tests-\(UUID())").path
        // A test whose files cannot be made fails there.
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: TestDirectory.root) }
        return path
    }()

    /// A path that nothing has used yet. Nothing is made there.
    package static func newPath() -> String { "\(root)/\(UUID())" }
}
