public import FoundationEssentials

/// What a programmer learned in a session, and need not ask for again while the session lasts.
///
/// Media tokens have no place here: they are good for one use, and never stored. Printed, it shows counts alone.
public struct SessionCache: Sendable, Hashable, Codable {
    /// What the server says of the person, as received.
    public var userMetadata: Data?
    /// The last answer as to which resources are permitted.
    public var preauthorization: Preauthorization?
    /// Fragments by the SHA-256 digest of their resource, which may be a whole document.
    private var authorizations: [String: String] = [:]

    /// Makes an empty cache.
    public init() {}

    /// The authorization of a resource; nil when there is none, or it is not one that can be read.
    ///
    /// Whether it is still valid is its ``DeviceBoundToken/verdict(at:fingerprint:allowedIssuers:requestor:publicKey:)`` to
    /// say.
    public func authorization(for resource: String) -> AuthorizationToken? {
        guard let fragment = authorizations[Digest.fingerprint(of: resource)],
            let token = try? AuthorizationToken(fragment: fragment), token.resource == resource
        else { return nil }
        return token
    }

    /// Keeps the authorization of a resource, in place of the one before.
    public mutating func keep(_ authorization: AuthorizationToken) {
        authorizations[Digest.fingerprint(of: authorization.resource)] = authorization.serialized
    }

    /// Drops the authorization of a resource.
    public mutating func dropAuthorization(for resource: String) {
        authorizations[Digest.fingerprint(of: resource)] = nil
    }

    /// The authorizations that can be read, valid or not, by resource.
    public var allAuthorizations: [AuthorizationToken] {
        authorizations.values.compactMap { try? AuthorizationToken(fragment: $0) }.sorted { $0.resource < $1.resource }
    }

    /// How many authorizations there are.
    public var authorizationCount: Int { authorizations.count }

    /// Drops authorizations that have expired, or cannot be read.
    mutating func dropAuthorizations(expiredAt date: Date) {
        authorizations = authorizations.filter { _, fragment in
            guard let token = try? AuthorizationToken(fragment: fragment) else { return false }
            return date < token.expires
        }
    }
}

extension SessionCache: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What there is, and nothing of it.
    public var description: String {
        "SessionCache(\(authorizations.count) authorizations, \(userMetadata == nil ? "no" : "some") metadata)"
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Nothing: it is personal.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
