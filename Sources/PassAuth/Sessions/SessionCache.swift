public import FoundationEssentials

/// The cache of a programmer in a session: answers that need not be asked for again while it lasts.
///
/// Media tokens have no place here: they are good for one use, and never stored. Printed, it shows counts alone.
public struct SessionCache: Sendable {
    /// The server's metadata of the person, as received.
    public var userMetadata: Data?
    /// The last answer about which resources are permitted.
    public var preauthorization: Preauthorization?
    /// The changes made here, by the SHA-256 digest of the resource, which may be a whole document; nil for one
    /// that was dropped. It goes before what is stored.
    private(set) var changes: [String: StoredAuthorization?] = [:]
    /// The stored authorizations.
    var stored: AuthorizationPages

    /// Makes an empty cache.
    public init() { self.init(stored: AuthorizationPages()) }

    init(stored: AuthorizationPages) { self.stored = stored }

    /// The authorization of a resource; nil when there is none, or it is not one that can be read.
    ///
    /// Whether it is still valid is its
    /// ``DeviceBoundToken/verdict(at:fingerprint:allowedIssuers:requestor:publicKey:)`` to say.
    public func authorization(for resource: String) -> AuthorizationToken? {
        let digest = Digest.fingerprint(of: resource)
        let found = if let change = changes[digest] { change } else { stored.authorization(digest) }
        guard let token = found?.token, token.resource == resource else { return nil }
        return token
    }

    /// Keeps the authorization of a resource, in place of the one before.
    public mutating func keep(_ authorization: AuthorizationToken) {
        let kept = StoredAuthorization(fragment: authorization.serialized, expires: authorization.expires)
        changes[Digest.fingerprint(of: authorization.resource)] = .some(kept)
    }

    /// Drops the authorization of a resource.
    public mutating func dropAuthorization(for resource: String) {
        changes[Digest.fingerprint(of: resource)] = .some(nil)
    }

    /// The authorizations that can be read, valid or not, by resource.
    public var allAuthorizations: [AuthorizationToken] {
        authorizations.values.compactMap(\.token).sorted { $0.resource < $1.resource }
    }

    /// The same, on what is stored on these pages.
    func with(_ pages: AuthorizationPages) -> SessionCache {
        var cache = self
        cache.stored = pages
        return cache
    }

    /// Goes on keeping, in the bucket, the authorizations that an older version of the library kept there.
    mutating func keepLegacy(of other: SessionCache?) { changes = other?.changes ?? [:] }

    /// The part that the bucket keeps: all but the authorizations.
    var withoutAuthorizations: SessionCache {
        var cache = SessionCache()
        (cache.userMetadata, cache.preauthorization) = (userMetadata, preauthorization)
        return cache
    }

    /// The number of authorizations, valid or not.
    public var authorizationCount: Int { authorizations.count }

    /// All that there are, by the digest of their resource.
    private var authorizations: [String: StoredAuthorization] {
        var all = stored.all
        for (digest, change) in changes { all[digest] = change }
        return all
    }
}

extension SessionCache: Hashable {
    /// Whether both say the same.
    public static func == (one: SessionCache, other: SessionCache) -> Bool {
        one.userMetadata == other.userMetadata && one.preauthorization == other.preauthorization
            && one.authorizations.mapValues(\.fragment) == other.authorizations.mapValues(\.fragment)
    }

    /// Hashes what it says.
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

    /// Reads a cache, with all that it says.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        userMetadata = try container.decodeIfPresent(Data.self, forKey: .userMetadata)
        preauthorization = try container.decodeIfPresent(Preauthorization.self, forKey: .preauthorization)
        let fragments = try container.decode([String: String].self, forKey: .authorizations)
        changes = fragments.mapValues { .some(StoredAuthorization(fragment: $0, expires: nil)) }
    }

    /// Writes a cache, with all that it says.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(userMetadata, forKey: .userMetadata)
        try container.encodeIfPresent(preauthorization, forKey: .preauthorization)
        try container.encode(authorizations.mapValues(\.fragment), forKey: .authorizations)
    }
}

extension SessionCache: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the parts, and nothing of their content.
    public var description: String {
        "SessionCache(\(authorizationCount) authorizations, \(userMetadata == nil ? "no" : "some") metadata)"
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Nothing: it is personal.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The answer to one question which resources a person may use: good for the very same resources, in any order.
public struct Preauthorization: Sendable, Hashable, Codable {
    /// The resources that were asked for.
    public let resources: Set<String>
    /// Those of them that are permitted.
    public let permitted: Set<String>

    /// Makes an answer; what is permitted without having been asked for is left out.
    public init(resources: Set<String>, permitted: Set<String>) {
        self.resources = resources
        self.permitted = permitted.intersection(resources)
    }
}
