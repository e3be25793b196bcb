public import FoundationEssentials

/// What a back end takes as proof that its caller may act for the user; printed, it shows the expiry alone.
public struct AccessToken: Sendable, Hashable {
    /// The token, often opaque to the app.
    public let token: String
    /// What it is good for, as the identity provider says; empty if it does not.
    public let scopes: Set<String>
    /// When it expires.
    public let expirationDate: Date

    /// Makes an access token.
    public init(token: String, scopes: Set<String> = [], expirationDate: Date) {
        self.token = token
        self.scopes = scopes
        self.expirationDate = expirationDate
    }
}

extension AccessToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case token, scopes, expirationDate
    }

    /// Reads a token.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        token = try fields.decode(String.self, forKey: .token)
        scopes = Set(try fields.decode([String].self, forKey: .scopes))
        expirationDate = try fields.decode(Date.self, forKey: .expirationDate)
    }

    /// Writes the token, its scopes in order: equal tokens have equal bytes.
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
