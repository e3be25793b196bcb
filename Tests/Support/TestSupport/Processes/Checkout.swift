package import FoundationEssentials

/// The checkout that the tests were built from.
package enum Checkout {
    /// The directory of `Package.swift`.
    package static let root: URL = {
        var folder = URL(filePath: #filePath)
        while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
            folder = folder.deletingLastPathComponent()
        }
        return folder
    }()
}
