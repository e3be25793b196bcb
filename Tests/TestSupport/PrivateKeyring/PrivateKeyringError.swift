/// Why the fixture could not do what it was asked.
package struct PrivateKeyringError: Error, CustomStringConvertible {
    /// What failed.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
