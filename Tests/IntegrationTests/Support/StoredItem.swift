/// One item of a test's project, as the keyring holds it.
struct StoredItem: Hashable, CustomStringConvertible {
    let label: String
    let attributes: [String: String]
    let secret: [UInt8]

    /// Where it was set aside, it says so.
    var isSetAside: Bool { attributes["sharedauth-kind"]?.hasPrefix("user.set-aside.") == true }

    var description: String { "\(label) \(attributes["sharedauth-scope"] ?? "") (\(secret.count) bytes)" }
}
