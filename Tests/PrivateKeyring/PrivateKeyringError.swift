/// Why the fixture could not do what it was asked.
public struct PrivateKeyringError: Error, CustomStringConvertible {
    /// What failed.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
