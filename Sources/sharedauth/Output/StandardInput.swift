internal import ArgumentParser

/// What the person or a script says to the tool.
enum StandardInput {
    /// The next line; a usage error when there is none.
    static func line(_ what: String) throws -> String {
        guard let line = readLine(), !line.isEmpty else {
            throw ValidationError("There is no \(what) on standard input.")
        }
        return line
    }
}
