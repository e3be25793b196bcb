/// An app's registration at a Pass server: an id and a secret that belong to this app only.
///
/// Printed, it shows nothing of either.
public struct RegisteredClient: Sendable, Hashable, Codable {
    /// The id that the server gave.
    public let id: String
    /// The secret that goes with it.
    public let secret: String
    /// The SHA-256 digest of the software statement that it was made of; nil in records of earlier versions.
    private let statementDigest: String?

    /// Makes one of what a server gave, for a software statement if it is known.
    public init(id: String, secret: String, softwareStatement: String? = nil) {
        self.id = id
        self.secret = secret
        statementDigest = softwareStatement.map { Digest.fingerprint(of: $0) }
    }

    /// Whether it was made of this software statement: false where that is not known.
    public func isMade(of softwareStatement: String) -> Bool {
        statementDigest == Digest.fingerprint(of: softwareStatement)
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
