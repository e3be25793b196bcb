/// What an app is registered as at a server of Pass's: an id and a secret, of the app alone.
///
/// Printed, it shows nothing of either.
public struct RegisteredClient: Sendable, Hashable, Codable {
    /// The id that the server gave.
    public let id: String
    /// The secret that goes with it.
    public let secret: String

    /// Makes one of what a server gave.
    public init(id: String, secret: String) {
        self.id = id
        self.secret = secret
    }

    /// The SHA-256 digest of the id, in lower-case hexadecimal: what tokens that were made of its profiles carry.
    public var digest: String { Digest.fingerprint(of: id) }
}

extension RegisteredClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of it.
    public var description: String { "RegisteredClient" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Nothing of it.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
