package import SharedAuth

extension StandardError {
    /// Writes what failed, where, and what to do.
    package static func write(_ error: AuthError) {
        write(line: error.text)
    }
}
