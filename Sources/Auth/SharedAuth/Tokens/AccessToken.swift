public import DesktopSupport
public import FoundationEssentials

/// A token that shows a back end that its caller may act for the user. The description shows the expiry alone.
public struct AccessToken: Sendable, Hashable {
    /// The token, often opaque to the app.
    public let token: String
    /// The scopes of the token, as the identity provider reports them; empty if it reports none.
    public let scopes: Set<String>
    /// The date at which the token expires.
    public let expirationDate: Date
    /// The scopes that it was requested with, if the identity provider names those that it granted differently.
    package var requestedScopes: Set<String>?
    /// The date at which it came; nil in records of versions that did not note it.
    private(set) var issueDate: Date?

    /// Creates an access token.
    public init(token: String, scopes: Set<String> = [], expirationDate: Date) {
        self.token = token
        self.scopes = scopes
        self.expirationDate = expirationDate
    }
}

extension AccessToken {
    /// The token as one that has expired, unless it never does.
    var expired: AccessToken {
        if expirationDate == .distantFuture { return self }
        var token = AccessToken(token: token, scopes: scopes, expirationDate: .distantPast)
        token.requestedScopes = requestedScopes
        return token
    }

    /// Returns the token with `date` as the issue date, unless it has one.
    func issued(at date: Date) -> AccessToken {
        var token = self
        token.issueDate = issueDate ?? date
        return token
    }

    /// Returns whether the token was requested or granted for exactly these scopes.
    func isFor(_ scopes: Set<String>) -> Bool { self.scopes == scopes || requestedScopes == scopes }

    /// Returns whether another token is no longer needed beside this one.
    func replaces(_ other: AccessToken) -> Bool {
        scopes == other.scopes && (requestedScopes == other.requestedScopes || other.requestedScopes == nil)
            || requestedScopes != nil && requestedScopes == other.requestedScopes
    }
}

extension AccessToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case token, scopes, expirationDate, requestedScopes, issueDate
    }

    /// Decodes a token.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        token = try fields.decode(String.self, forKey: .token)
        scopes = Set(try fields.decode([String].self, forKey: .scopes))
        expirationDate = try fields.decode(Date.self, forKey: .expirationDate)
        requestedScopes = try fields.decodeIfPresent([String].self, forKey: .requestedScopes).map(Set.init)
        issueDate = try fields.decodeIfPresent(Date.self, forKey: .issueDate)
    }

    /// Encodes the token with sorted scopes, so that equal tokens have equal bytes.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(token, forKey: .token)
        try fields.encode(scopes.sorted(), forKey: .scopes)
        try fields.encode(expirationDate, forKey: .expirationDate)
        try fields.encodeIfPresent(requestedScopes?.sorted(), forKey: .requestedScopes)
        try fields.encodeIfPresent(issueDate, forKey: .issueDate)
    }
}

extension AccessToken: Redacted {
    /// The expiry alone.
    public var description: String { "AccessToken(expires \(expirationDate.timeIntervalSince1970))" }
}
