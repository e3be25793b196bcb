public import DesktopSupport
public import FoundationEssentials

/// The cache of a programmer in a session: responses that need not be requested again while the session lasts.
///
/// Media tokens are never stored here, because each is valid for one use. Its description shows only counts.
public struct SessionCache: Sendable {
    /// The server's metadata about the user, as received.
    public var userMetadata: Data?
    /// The last preauthorization response.
    public var preauthorization: Preauthorization?
    /// The changes made here, by the SHA-256 digest of the resource, which may be a whole document; nil for a removed
    /// authorization. They override the stored authorizations.
    private(set) var changes: [String: StoredAuthorization?] = [:]
    /// The stored authorizations.
    var stored: AuthorizationPages

    /// Creates an empty cache.
    public init() { self.init(stored: AuthorizationPages()) }

    init(stored: AuthorizationPages) { self.stored = stored }

    /// Returns the authorization of a resource; nil if it is missing or cannot be decoded.
    ///
    /// Use its ``DeviceBoundToken/verdict(at:fingerprint:allowedIssuers:requestor:publicKey:)`` to check whether it is
    /// still valid.
    public func authorization(for resource: String) -> AuthorizationToken? {
        let digest = Digest.fingerprint(of: resource)
        let found = if let change = changes[digest] { change } else { stored.authorization(digest) }
        guard let token = found?.token, token.resource == resource else { return nil }
        return token
    }

    /// Stores the authorization of a resource, replacing the previous one.
    public mutating func keep(_ authorization: AuthorizationToken) {
        let kept = StoredAuthorization(fragment: authorization.serialized, expires: authorization.expires)
        changes[Digest.fingerprint(of: authorization.resource)] = .some(kept)
    }

    /// Removes the authorization of a resource.
    public mutating func dropAuthorization(for resource: String) {
        changes[Digest.fingerprint(of: resource)] = .some(nil)
    }

    /// The readable authorizations, valid or not, sorted by resource.
    public var allAuthorizations: [AuthorizationToken] {
        authorizations.values.compactMap(\.token).sorted { $0.resource < $1.resource }
    }

    /// Returns the same cache with the stored authorizations of these pages.
    func with(_ pages: AuthorizationPages) -> SessionCache {
        var cache = self
        cache.stored = pages
        return cache
    }

    /// Keeps the authorizations that an older version of the library stored in the bucket.
    mutating func keepLegacy(of other: SessionCache?) { changes = other?.changes ?? [:] }

    /// The part stored in the bucket: everything except the authorizations.
    var withoutAuthorizations: SessionCache {
        var cache = SessionCache()
        (cache.userMetadata, cache.preauthorization) = (userMetadata, preauthorization)
        return cache
    }

    /// The number of authorizations, valid or not.
    public var authorizationCount: Int { authorizations.count }

    /// All authorizations, by the digest of their resource.
    private var authorizations: [String: StoredAuthorization] {
        var all = stored.all
        for (digest, change) in changes { all[digest] = change }
        return all
    }
}

extension SessionCache: Hashable {
    /// Returns whether both have the same content.
    public static func == (one: SessionCache, other: SessionCache) -> Bool {
        one.userMetadata == other.userMetadata && one.preauthorization == other.preauthorization
            && one.authorizations.mapValues(\.fragment) == other.authorizations.mapValues(\.fragment)
    }

    /// Hashes the content.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(userMetadata)
        hasher.combine(preauthorization)
        hasher.combine(authorizations.mapValues(\.fragment))
    }
}

extension SessionCache: Codable {
    private enum CodingKeys: String, CodingKey {
        case userMetadata, preauthorization, authorizations
    }

    /// Decodes a cache with all its content.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        userMetadata = try container.decodeIfPresent(Data.self, forKey: .userMetadata)
        preauthorization = try container.decodeIfPresent(Preauthorization.self, forKey: .preauthorization)
        let fragments = try container.decode([String: String].self, forKey: .authorizations)
        changes = fragments.mapValues { .some(StoredAuthorization(fragment: $0, expires: nil)) }
    }

    /// Encodes a cache with all its content.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(userMetadata, forKey: .userMetadata)
        try container.encodeIfPresent(preauthorization, forKey: .preauthorization)
        try container.encode(authorizations.mapValues(\.fragment), forKey: .authorizations)
    }
}

extension SessionCache: Redacted {
    /// The number of authorizations and whether there is metadata; no content.
    public var description: String {
        "SessionCache(\(authorizationCount) authorizations, \(userMetadata == nil ? "no" : "some") metadata)"
    }
}

/// The response to one request which resources the user may watch; valid for exactly these resources, in any order.
public struct Preauthorization: Sendable, Hashable, Codable {
    /// The requested resources.
    public let resources: Set<String>
    /// The permitted ones among them.
    public let permitted: Set<String>

    /// Creates a response; permitted resources that were not requested are left out.
    public init(resources: Set<String>, permitted: Set<String>) {
        self.resources = resources
        self.permitted = permitted.intersection(resources)
    }
}
