public import FoundationEssentials

/// A token that shows a back end that its caller may act for the user. The description shows the expiry alone.
public struct AccessToken: Sendable, Hashable {
    /// The token, often opaque to the app.
    public let token: String
    /// The scopes of the token, as the identity provider reports them; empty if it reports none.
    public let scopes: Set<String>
    /// The date at which the token expires.
    public let expirationDate: Date

    /// Creates an access token.
    public init(token: String, scopes: Set<String> = [], expirationDate: Date) {
        self.token = token
        self.scopes = scopes
        self.expirationDate = expirationDate
    }
}

extension AccessToken {
    /// The token as one that has expired.
    var expired: AccessToken { AccessToken(token: token, scopes: scopes, expirationDate: .distantPast) }
}

extension AccessToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case token, scopes, expirationDate
    }

    /// Decodes a token.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        token = try fields.decode(String.self, forKey: .token)
        scopes = Set(try fields.decode([String].self, forKey: .scopes))
        expirationDate = try fields.decode(Date.self, forKey: .expirationDate)
    }

    /// Encodes the token with sorted scopes, so that equal tokens have equal bytes.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(token, forKey: .token)
        try fields.encode(scopes.sorted(), forKey: .scopes)
        try fields.encode(expirationDate, forKey: .expirationDate)
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The expiry alone.
    public var description: String { "AccessToken(expires \(expirationDate.timeIntervalSince1970))" }
    /// The expiry alone.
    public var debugDescription: String { description }
    /// Nothing: the token is secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
