public import FoundationEssentials

/// A user's ID token and refresh token; printed, it shows neither.
public struct UserTokens: Sendable, Hashable, Codable {
    /// The ID token, a JSON Web Token.
    public let idToken: String
    /// Exchanged for new tokens when the ID token expires.
    public let refreshToken: String
    /// When the ID token expires.
    public let expirationDate: Date
    /// When they were issued, as far as is known; of two pairs of one account the later one is good.
    public let issueDate: Date?

    /// Makes a pair of tokens; without an issue date, SharedAuth takes the moment at which it gets them.
    public init(idToken: String, refreshToken: String, expirationDate: Date, issueDate: Date? = nil) {
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.expirationDate = expirationDate
        self.issueDate = issueDate
    }
}

extension UserTokens {
    /// The same, issued at `date` unless it says when.
    func issued(at date: Date) -> UserTokens {
        issueDate == nil
            ? UserTokens(idToken: idToken, refreshToken: refreshToken, expirationDate: expirationDate, issueDate: date)
            : self
    }

    /// Who issued the ID token, as it says itself; nil if it does not, or cannot be read.
    package var issuer: String? { (try? AuthTokenResult(idToken: idToken))?.claims["iss"]?.string }

    /// Whether these were issued after others of the same account; where that is not known, whether they last longer.
    func isNewer(than other: UserTokens) -> Bool {
        if let issueDate, let otherDate = other.issueDate, issueDate != otherDate { return issueDate > otherDate }
        return expirationDate > other.expirationDate
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
