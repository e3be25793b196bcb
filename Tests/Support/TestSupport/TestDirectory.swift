internal import Foundation

/// The directory for this process's test files, removed when the process ends.
package enum TestDirectory {
    private static let root: String = {
        let path = FileManager.default.temporaryDirectory.appending(path: "sharedauth-tests-\(UUID())").path
        // A test that cannot create its files fails there.
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: TestDirectory.root) }
        return path
    }()

    /// Returns a path that was not used before. Creates nothing there.
    package static func newPath() -> String { "\(root)/\(UUID())" }
}
