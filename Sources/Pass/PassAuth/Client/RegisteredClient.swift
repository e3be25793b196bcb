public import DesktopSupport

/// An app's registration at a Pass server: an id and a secret that belong to this app only.
///
/// Its description shows neither.
public struct RegisteredClient: Sendable, Hashable, Codable {
    /// The id issued by the server.
    public let id: String
    /// The secret for the id.
    public let secret: String
    /// The SHA-256 digest of the software statement used to register; nil in records of earlier versions.
    private let statementDigest: String?

    /// Creates a registration from a server's response, with the software statement if it is known.
    public init(id: String, secret: String, softwareStatement: String? = nil) {
        self.id = id
        self.secret = secret
        statementDigest = softwareStatement.map { Digest.fingerprint(of: $0) }
    }

    /// Returns whether it was created with this software statement; false if that is unknown.
    public func isMade(of softwareStatement: String) -> Bool {
        statementDigest == Digest.fingerprint(of: softwareStatement)
    }

    /// The SHA-256 digest of the id, in lower-case hexadecimal; carried by tokens that were created from its profiles.
    public var digest: String { Digest.fingerprint(of: id) }
}

extension RegisteredClient: Redacted {
    /// The name of the type only.
    public var description: String { "RegisteredClient" }
}
