/// What came of reading the secrets of several items.
package struct SecretsReading: Sendable {
    /// The secrets that could be read.
    package var secrets: [SecretItem: Secret]
    /// Items that are there and locked.
    package var locked: [SecretItem] = []
    /// Items that are gone.
    package var missing: [SecretItem] = []
}
