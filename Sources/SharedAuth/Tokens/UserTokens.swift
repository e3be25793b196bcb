public import FoundationEssentials

/// A user's tokens; printed, they show the expiry alone.
///
/// Most identity providers issue an ID token and a refresh token. Some issue no ID token but access tokens (plain OAuth 2, a
/// company's opaque tokens), and some issue no refresh token: such a session ends when it expires.
public struct UserTokens: Sendable, Hashable {
    /// The ID token, a JSON Web Token; nil if the identity provider issues none.
    public let idToken: String?
    /// Exchanged for new tokens when these expire; nil if the session cannot be refreshed.
    public let refreshToken: String?
    /// The access tokens, one for each set of scopes: first the one for what was granted at the sign-in, then the newest.
    public let accessTokens: [AccessToken]
    /// When the ID token expires; without one, the first access token.
    public let expirationDate: Date
    /// When they were issued, as far as is known; of the tokens of one account the later ones are good.
    public internal(set) var issueDate: Date?
    /// Whose they are, as the identity provider says in the answer to a refresh: SharedAuth takes them for no other account. Not
    /// stored; nil if it does not say.
    public var uid: String?
    /// The sign-in that they come from; nil in records of versions that did not note it.
    var lineage: TokenLineage?

    /// Makes tokens; without an issue date, SharedAuth takes the moment at which it gets them.
    public init(
        idToken: String?,
        refreshToken: String?,
        expirationDate: Date,
        accessTokens: [AccessToken] = [],
        issueDate: Date? = nil
    ) {
        self.idToken = idToken
        self.refreshToken = refreshToken
        self.accessTokens = accessTokens
        self.expirationDate = expirationDate
        self.issueDate = issueDate
    }
}

extension UserTokens {
    /// Makes tokens of a session without an ID token, which expire with the first access token.
    public init(refreshToken: String?, accessTokens: [AccessToken], issueDate: Date? = nil) {
        self.init(
            idToken: nil,
            refreshToken: refreshToken,
            expirationDate: accessTokens.first?.expirationDate ?? .distantPast,
            accessTokens: accessTokens,
            issueDate: issueDate
        )
    }

    /// The same, issued at `date` unless they say when.
    func issued(at date: Date) -> UserTokens {
        var tokens = self
        tokens.issueDate = issueDate ?? date
        return tokens
    }

    /// Who issued the ID token, as it says itself; nil if it does not, or cannot be read.
    package var issuer: String? {
        idToken.flatMap { (try? AuthTokenResult(idToken: $0))?.claims["iss"]?.string }
    }

    /// Whether format version 1 of a record can hold them.
    var fitFormatVersion1: Bool { idToken != nil && refreshToken != nil && accessTokens.isEmpty }

    /// The token whose changes listeners hear of: the ID token, else the first access token.
    var announced: String { idToken ?? accessTokens.first?.token ?? refreshToken ?? "" }

    /// The same, as the first tokens of a sign-in.
    func beginningLineage() -> UserTokens {
        var tokens = self
        tokens.lineage = TokenLineage()
        return tokens
    }

    /// The same, as the tokens that take the place of others.
    func succeeding(_ former: UserTokens) -> UserTokens {
        var tokens = self
        tokens.lineage = former.lineage?.next
        return tokens
    }

    /// Whether these were issued after others of the same account: of one sign-in, after more exchanges. Where that does not tell, the
    /// dates do: that of the issue, or else of the expiry.
    func isNewer(than other: UserTokens) -> Bool {
        if let lineage, let others = other.lineage, lineage.signIn == others.signIn,
            lineage.exchanges != others.exchanges
        {
            return lineage.exchanges > others.exchanges
        }
        if let issueDate, let otherDate = other.issueDate, issueDate != otherDate { return issueDate > otherDate }
        return expirationDate > other.expirationDate
    }
}

extension UserTokens {
    /// For how many sets of scopes access tokens are kept.
    private static let mostAccessTokens = 16

    /// The access token for these scopes, without any the one for what was granted at the sign-in; one for exactly these before
    /// one for more.
    func accessToken(for scopes: Set<String>) -> AccessToken? {
        if scopes.isEmpty { return accessTokens.first }
        return accessTokens.first { $0.scopes == scopes } ?? accessTokens.first { $0.scopes.isSuperset(of: scopes) }
    }

    /// The token that is wanted: for these scopes, or with nil the one that the session goes by.
    func token(for scopes: Set<String>?) -> String? { scopes.map { accessToken(for: $0)?.token } ?? announced }

    /// What stands after a refresh: the answer, and those of the present access tokens that are for other scopes and still good.
    ///
    /// - Parameter scopes: what the refresh was for.
    func refreshed(by answer: UserTokens, for scopes: Set<String>, at date: Date) -> UserTokens {
        let answered = Set(answer.accessTokens.map(\.scopes))
        let others = accessTokens.dropFirst().filter { !answered.contains($0.scopes) && $0.expirationDate > date }
        let granted = accessTokens.first.map { first in answer.accessTokens.first { $0.scopes == first.scopes } ?? first
        }
        let isForAll = scopes.isEmpty && !answer.accessTokens.isEmpty
        // What was granted at the sign-in stays first, expired or not, until a refresh for that brings another.
        let first = isForAll ? answer.accessTokens.first : granted ?? answer.accessTokens.first
        let rest =
            answer.accessTokens.filter { $0.scopes != first?.scopes } + others.filter { $0.scopes != first?.scopes }
        let tokens = Array(((first.map { [$0] } ?? []) + rest).prefix(Self.mostAccessTokens))
        return UserTokens(
            idToken: answer.idToken,
            refreshToken: answer.refreshToken,
            expirationDate: answer.idToken == nil
                ? tokens.first?.expirationDate ?? answer.expirationDate : answer.expirationDate,
            accessTokens: tokens,
            issueDate: answer.issueDate ?? date
        )
    }
}

extension UserTokens: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case idToken, refreshToken, expirationDate, issueDate, accessTokens, lineage
    }

    /// Reads tokens of any format version.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        idToken = try fields.decodeIfPresent(String.self, forKey: .idToken)
        refreshToken = try fields.decodeIfPresent(String.self, forKey: .refreshToken)
        accessTokens = try fields.decodeIfPresent([AccessToken].self, forKey: .accessTokens) ?? []
        expirationDate = try fields.decode(Date.self, forKey: .expirationDate)
        issueDate = try fields.decodeIfPresent(Date.self, forKey: .issueDate)
        lineage = try fields.decodeIfPresent(TokenLineage.self, forKey: .lineage)
    }

    /// Writes what is there.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(idToken, forKey: .idToken)
        try fields.encodeIfPresent(refreshToken, forKey: .refreshToken)
        if !accessTokens.isEmpty { try fields.encode(accessTokens, forKey: .accessTokens) }
        try fields.encode(expirationDate, forKey: .expirationDate)
        try fields.encodeIfPresent(issueDate, forKey: .issueDate)
        try fields.encodeIfPresent(lineage, forKey: .lineage)
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
