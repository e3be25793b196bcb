internal import DesktopSupport

/// The files in the directory where the keyring daemon keeps its collections.
package struct CollectionFiles: Sendable, Hashable {
    /// The directory.
    package let directory: String
    /// The files of collections that the daemon does not have: it could not read them, or they came after its start.
    package private(set) var unloaded: [String] = []
    /// The other files that are named after a collection, such as copies.
    package private(set) var others: [String] = []

    /// Sorts the names in a directory.
    ///
    /// - Parameter paths: The paths of the collections that the daemon has.
    init(directory: String, names: [String], suffix: String, paths: [String]) {
        self.directory = directory
        let loaded = Set(paths.compactMap { $0.split(separator: "/").last.map(String.init) })
        for name in names.sorted() {
            if name.hasSuffix(suffix) {
                if !loaded.contains(Self.escaped(name.dropLast(suffix.count))) { unloaded.append(name) }
            } else if name.contains(suffix) {
                others.append(name)
            }
        }
    }

    /// The paths of all files that the daemon does not use.
    package var unused: [String] { (unloaded + others).map { "\(directory)/\($0)" } }

    /// Returns a name as it is written in an object path.
    private static func escaped(_ name: Substring) -> String {
        name.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            if character.isASCII, character.isLetter || character.isNumber { return String(character) }
            let digits = String(byte, radix: 16)
            return "_\(digits.count == 1 ? "0" : "")\(digits)"
        }.joined()
    }
}

extension SecretService {
    /// Returns the files in the directory of the present daemon's collections; nil if the directory is unknown or cannot
    /// be read.
    package func collectionFiles(by deadline: Deadline) throws(SecretServiceError) -> CollectionFiles? {
        let daemon = try daemon(by: deadline)
        guard let directory = daemon.filesDirectory, let suffix = daemon.kind.facts.files?.suffix
        else { return nil }
        let names = names(inDirectory: directory)
        // A directory has names, if it can be read: its own and its parent's.
        if names.isEmpty { return nil }
        let paths = try collections(by: deadline).map(\.path)
        return CollectionFiles(directory: directory, names: names, suffix: suffix, paths: paths)
    }

    /// Returns the error for a daemon without a default collection. If it has not loaded a file, it names that file.
    func lackingDefault(by deadline: Deadline) -> SecretServiceError {
        let error = SecretServiceError(.noDefaultCollection, in: "ReadAlias on \(Self.path)")
        guard let files = try? collectionFiles(by: deadline), let name = files.unloaded.first else { return error }
        var named = SecretServiceError(
            code: error.code,
            message: "\(error.message) The keyring daemon has not loaded \(files.directory)/\(name).",
            remedy:
                "Restart the daemon; if its log says that it cannot read the file, repair the file or restore a copy. "
                + "A new keyring would hide it."
        )
        named.circumstance = .unloadedFile
        return named
    }
}
