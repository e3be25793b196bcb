public import FoundationEssentials

/// A user's ID token and refresh token; printed, it shows neither.
public struct UserTokens: Sendable, Hashable, Codable {
    /// The ID token, a JSON Web Token.
    public let idToken: String
    /// Exchanged for new tokens when the ID token expires.
    public let refreshToken: String
    /// When the ID token expires.
    public let expirationDate: Date

    /// Makes a pair of tokens.
    public init(idToken: String, refreshToken: String, expirationDate: Date) {
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.expirationDate = expirationDate
    }
}

extension UserTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The expiry alone.
    public var description: String { "UserTokens(expires \(expirationDate.timeIntervalSince1970))" }
    /// The expiry alone.
    public var debugDescription: String { description }
    /// Nothing: tokens are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
