public import DesktopSupport
public import FoundationEssentials

/// The tokens of a user. The description shows the expiry alone.
///
/// Most identity providers issue an ID token and a refresh token. Some issue access tokens and no ID token (plain OAuth
/// 2, a company's opaque tokens), and some issue no refresh token: such a session ends when it expires.
public struct UserTokens: Sendable, Hashable {
    /// The ID token, a JSON Web Token; nil if the identity provider issues none.
    public let idToken: String?
    /// The token that is exchanged for new tokens when these expire; nil if the session cannot be refreshed.
    public let refreshToken: String?
    /// The access tokens, one for each set of scopes: first the one for the scopes granted at the sign-in, then the
    /// others, newest first.
    public let accessTokens: [AccessToken]
    /// The date at which the ID token expires; without an ID token, the first access token.
    public let expirationDate: Date
    /// The issue date, if known. Of the tokens of one account, the ones issued last are valid.
    public internal(set) var issueDate: Date?
    /// The owner of the tokens, if the identity provider names it in the response to a refresh; nil otherwise.
    /// SharedAuth uses the tokens for no other account. Not stored.
    public var uid: String?
    /// The sign-in that the tokens come from; nil in records of versions that did not note it.
    var lineage: TokenLineage?
    /// Indicates whether the session has had an ID token, or a first access token, that these lack: the record had no
    /// room for it, or it has expired and no other came. The token is requested again when it is used.
    private(set) var isIncomplete = false
    /// The refreshes that did not bring what they were made for, newest first.
    var refusals: [RefusedRefresh] = []

    /// Creates tokens. Without an issue date, SharedAuth uses the time at which it receives them.
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
    /// Creates the tokens of a session without an ID token. They expire with the first access token.
    public init(refreshToken: String?, accessTokens: [AccessToken], issueDate: Date? = nil) {
        self.init(
            idToken: nil,
            refreshToken: refreshToken,
            expirationDate: accessTokens.first?.expirationDate ?? .distantPast,
            accessTokens: accessTokens,
            issueDate: issueDate
        )
    }

    /// Returns the tokens with `date` as the issue date, unless they have one.
    func issued(at date: Date) -> UserTokens {
        var tokens = self
        tokens.issueDate = issueDate ?? date
        return tokens
    }

    /// The issuer that the ID token claims; nil if it claims none, or cannot be read.
    package var issuer: String? {
        idToken.flatMap { (try? AuthTokenResult(idToken: $0))?.jsonClaims["iss"]?.string }
    }

    /// Returns the tokens without some of them, for which the record has no room.
    func keeping(accessTokens: [AccessToken], idToken: Bool) -> UserTokens {
        var tokens = UserTokens(
            idToken: idToken ? self.idToken : nil,
            refreshToken: refreshToken,
            expirationDate: expirationDate,
            accessTokens: accessTokens,
            issueDate: issueDate
        )
        (tokens.uid, tokens.lineage, tokens.refusals) = (uid, lineage, refusals)
        tokens.isIncomplete =
            isIncomplete || tokens.idToken != self.idToken || tokens.accessTokens.first != self.accessTokens.first
        return tokens
    }

    /// Returns whether these are others' tokens of the same exchange, or what a record had room for of them. A process of
    /// an older version that writes the record keeps access tokens without the members that it does not know.
    func isRest(of whole: UserTokens) -> Bool {
        let isSameExchange =
            refreshToken == whole.refreshToken && lineage == whole.lineage && issueDate == whole.issueDate
        return isSameExchange && (idToken == whole.idToken || isIncomplete && idToken == nil)
            && accessTokens.allSatisfy { one in whole.accessTokens.contains { $0.token == one.token } }
    }

    /// Indicates whether format version 1 of a record can hold the tokens.
    var fitFormatVersion1: Bool { idToken != nil && refreshToken != nil && accessTokens.isEmpty }

    /// The token whose changes are announced to listeners: the ID token, else the first access token.
    var announced: String { idToken ?? accessTokens.first?.token ?? refreshToken ?? "" }

    /// The random name of the sign-in that the tokens come from; nil in records of versions that did not note it.
    package var signIn: String? { lineage?.signIn }

    /// The number of exchanges since the sign-in.
    package var exchanges: Int { lineage?.exchanges ?? 0 }

    /// Returns the tokens as the first ones of a sign-in.
    func beginningLineage() -> UserTokens {
        var tokens = self
        tokens.lineage = TokenLineage()
        return tokens
    }

    /// Returns whether the tokens come from another sign-in than others; false if their own is not known.
    func isOfOtherSignIn(than other: UserTokens) -> Bool { lineage != nil && signIn != other.signIn }

    /// Returns the tokens as the successors of others.
    func succeeding(_ former: UserTokens) -> UserTokens {
        var tokens = self
        tokens.lineage = former.lineage?.next
        return tokens
    }

    /// Returns whether these were issued after others of the same account: for the same sign-in, after more exchanges.
    /// If that does not decide, the issue dates do, or else the expiry dates.
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
    /// The maximum number of access tokens that are kept, one per set of scopes.
    private static let mostAccessTokens = 16

    /// Returns the access token for these scopes; without scopes, the one for the scopes granted at the sign-in. A
    /// token that was requested or granted for exactly these scopes takes precedence over one for more.
    func accessToken(for scopes: Set<String>) -> AccessToken? {
        if scopes.isEmpty { return accessTokens.first }
        return accessTokens.first { $0.isFor(scopes) } ?? accessTokens.first { $0.scopes.isSuperset(of: scopes) }
    }

    /// Returns the requested token: the access token for these scopes, or with nil the announced token.
    func token(for scopes: Set<String>?) -> String? { scopes.map { accessToken(for: $0)?.token } ?? announced }

    /// Returns the tokens after a refresh: the response, and the present access tokens for other scopes that have not
    /// expired.
    ///
    /// - Parameter scopes: the scopes of the refresh.
    func refreshed(by answer: UserTokens, for scopes: Set<String>, at date: Date) -> UserTokens {
        let new = answer.accessTokens.map { $0.issued(at: date) }
        let known = accessTokens.map { $0.issued(at: issueDate ?? date) }
        let accessTokens = isFromFuture(at: date) ? known.map(\.expired) : known
        let others = accessTokens.dropFirst().filter { other in
            !new.contains { $0.replaces(other) } && other.expirationDate > date
        }
        let granted = accessTokens.first.map { first in new.first { $0.replaces(first) } ?? first }
        let isForAll = scopes.isEmpty && !new.isEmpty
        // The token for the granted scopes stays first, expired or not, until a refresh for these scopes returns
        // another.
        let first = isForAll ? new.first : granted ?? new.first
        let rest = (new + others).filter { other in first.map { !$0.replaces(other) } ?? true }
        let tokens = Array(((first.map { [$0] } ?? []) + rest).prefix(Self.mostAccessTokens))
        var refreshed = UserTokens(
            idToken: answer.idToken,
            refreshToken: answer.refreshToken,
            expirationDate: answer.idToken == nil
                ? tokens.first?.expirationDate ?? answer.expirationDate : answer.expirationDate,
            accessTokens: tokens,
            issueDate: answer.issueDate ?? date
        )
        // A refresh may return an access token alone, in a session whose ID token has expired or had no room.
        refreshed.isIncomplete =
            answer.idToken == nil && (idToken != nil || isIncomplete && (tokens.isEmpty || !accessTokens.isEmpty))
        return refreshed
    }
}

extension UserTokens: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case idToken, refreshToken, expirationDate, issueDate, accessTokens, lineage, refusals
        case isIncomplete = "incomplete"
    }

    /// Decodes tokens of any format version.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        idToken = try fields.decodeIfPresent(String.self, forKey: .idToken)
        refreshToken = try fields.decodeIfPresent(String.self, forKey: .refreshToken)
        accessTokens = try fields.decodeIfPresent([AccessToken].self, forKey: .accessTokens) ?? []
        expirationDate = try fields.decode(Date.self, forKey: .expirationDate)
        issueDate = try fields.decodeIfPresent(Date.self, forKey: .issueDate)
        lineage = try fields.decodeIfPresent(TokenLineage.self, forKey: .lineage)
        isIncomplete = try fields.decodeIfPresent(Bool.self, forKey: .isIncomplete) ?? false
        // A note of a newer version only saves a request, and says nothing to this one.
        refusals = (try? fields.decodeIfPresent([RefusedRefresh].self, forKey: .refusals)) ?? []
    }

    /// Encodes the tokens, without the missing ones.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(idToken, forKey: .idToken)
        try fields.encodeIfPresent(refreshToken, forKey: .refreshToken)
        if !accessTokens.isEmpty { try fields.encode(accessTokens, forKey: .accessTokens) }
        try fields.encode(expirationDate, forKey: .expirationDate)
        try fields.encodeIfPresent(issueDate, forKey: .issueDate)
        try fields.encodeIfPresent(lineage, forKey: .lineage)
        if isIncomplete { try fields.encode(true, forKey: .isIncomplete) }
        if !refusals.isEmpty { try fields.encode(refusals, forKey: .refusals) }
    }
}

extension UserTokens: Redacted {
    /// The expiry alone.
    public var description: String { "UserTokens(expires \(expirationDate.timeIntervalSince1970))" }
}
