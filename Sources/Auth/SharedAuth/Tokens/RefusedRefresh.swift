package import FoundationEssentials

/// A refresh that did not bring what it was made for: what that was, when, and why.
///
/// It is stored with the tokens, so that all processes that share them send one such request a minute together.
package struct RefusedRefresh: Sendable, Hashable {
    /// The token that a refresh was to bring.
    package enum Subject: Sendable, Hashable {
        /// Any new token, for a request without anything special.
        case session
        /// A valid ID token.
        case idToken
        /// A valid access token for these scopes; if empty, for those granted at the sign-in.
        case accessToken(scopes: Set<String>)

        /// Creates the subject of a refresh for an access token with these scopes, or with nil for the ID token.
        init(_ scopes: Set<String>?) { self = scopes.map(Subject.accessToken) ?? .idToken }
    }

    /// The reason that the identity provider gave.
    struct Reason: Sendable, Hashable, Codable {
        let code: Int
        let message: String
        let remedy: String?
    }

    /// The time for which nobody asks again.
    static let pause: TimeInterval = 60
    /// The most characters of a sentence that are stored.
    private static let longestText = 500

    let subject: Subject
    package let date: Date
    /// The number of exchanges after which the note was stored.
    fileprivate(set) var exchanges: Int
    /// Indicates whether all tokens of the session had expired by then.
    let isAfterExpiry: Bool
    /// Nil if nothing was refused: the response lacked the token.
    let reason: Reason?

    init(of subject: Subject, at date: Date, _ tokens: UserTokens, isAfterExpiry: Bool, _ error: AuthError?) {
        (self.subject, self.date, self.isAfterExpiry) = (subject, date, isAfterExpiry)
        exchanges = tokens.exchanges
        reason = error.map { error in
            Reason(
                code: error.code.rawValue,
                message: String(error.message.prefix(Self.longestText)),
                remedy: error.remedy.map { String($0.prefix(Self.longestText)) }
            )
        }
    }

    /// The error of the refresh; nil if nothing was refused.
    package var error: AuthError? {
        reason.map { reason in
            AuthError(AuthErrorCode(rawValue: reason.code) ?? .internalError, reason.message, remedy: reason.remedy)
        }
    }

    /// Returns whether a refresh for this subject would be refused as well, as far as this one tells.
    func concerns(_ subject: Subject) -> Bool { self.subject == .session || self.subject == subject }
}

extension UserTokens {
    /// The most refused refreshes that are noted.
    private static let mostRefusals = 8

    /// Returns the tokens with a note of a refused refresh, in place of earlier notes of the same subject.
    func noting(_ refusal: RefusedRefresh) -> UserTokens {
        var tokens = self
        tokens.refusals = Array(
            ([refusal] + refusals.filter { $0.subject != refusal.subject }).prefix(Self.mostRefusals)
        )
        return tokens
    }

    /// Returns the tokens that a refresh for a subject brought, with the notes of the former tokens that are still
    /// heeded.
    func heeding(_ former: UserTokens, besides subject: RefusedRefresh.Subject, at date: Date) -> UserTokens {
        var tokens = self
        tokens.refusals = former.refusals.compactMap { refusal in
            guard refusal.subject != .session, refusal.subject != subject, former.isPaused(by: refusal, at: date) else {
                return nil
            }
            var refusal = refusal
            refusal.exchanges = exchanges
            return refusal
        }
        return tokens
    }

    /// Returns the refused refresh because of which nobody asks for this subject now; nil if there is none.
    func pause(of subject: RefusedRefresh.Subject, at date: Date) -> RefusedRefresh? {
        refusals.first { $0.concerns(subject) && isPaused(by: $0, at: date) }
    }

    private func isPaused(by refusal: RefusedRefresh, at date: Date) -> Bool {
        let passed = date.timeIntervalSince(refusal.date)
        // A date in the future is that of a clock that was ahead.
        guard passed < RefusedRefresh.pause, passed > -RefusedRefresh.pause else { return false }
        // A token that was kept because no other came is asked for again when it has expired.
        let isKeptUntilNow = expirationDate > refusal.date && expirationDate <= date
        return refusal.reason != nil || refusal.subject != .idToken || !isKeptUntilNow
    }

    /// The refusal after which no token of the session can be used; nil if there is none.
    package var endingRefusal: RefusedRefresh? {
        refusals.first { $0.subject == .session && $0.isAfterExpiry && $0.exchanges == exchanges && $0.reason != nil }
    }

    /// The part of the tokens that listeners are told of, if it changes.
    var announcement: Announcement { Announcement(token: announced, needsSignIn: endingRefusal != nil) }

    /// The part of tokens that listeners are told of.
    struct Announcement: Equatable {
        let token: String
        let needsSignIn: Bool
    }
}

extension RefusedRefresh: Codable {
    private enum CodingKeys: String, CodingKey {
        case scopes, kind, date, exchanges, isAfterExpiry, reason
    }

    private enum Kind: String, Codable {
        case session, idToken, accessToken
    }

    /// Decodes a refused refresh.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        subject =
            switch try fields.decode(Kind.self, forKey: .kind) {
            case .session: .session
            case .idToken: .idToken
            case .accessToken: .accessToken(scopes: Set(try fields.decode([String].self, forKey: .scopes)))
            }
        date = try fields.decode(Date.self, forKey: .date)
        exchanges = try fields.decode(Int.self, forKey: .exchanges)
        isAfterExpiry = try fields.decode(Bool.self, forKey: .isAfterExpiry)
        reason = try fields.decodeIfPresent(Reason.self, forKey: .reason)
    }

    /// Encodes the refused refresh with sorted scopes, so that equal ones have equal bytes.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch subject {
        case .session: try fields.encode(Kind.session, forKey: .kind)
        case .idToken: try fields.encode(Kind.idToken, forKey: .kind)
        case .accessToken(let scopes):
            try fields.encode(Kind.accessToken, forKey: .kind)
            try fields.encode(scopes.sorted(), forKey: .scopes)
        }
        try fields.encode(date, forKey: .date)
        try fields.encode(exchanges, forKey: .exchanges)
        try fields.encode(isAfterExpiry, forKey: .isAfterExpiry)
        try fields.encodeIfPresent(reason, forKey: .reason)
    }
}

extension User {
    /// The reason why the user must sign in again, as an error with the code `requiresRecentLogin`; nil as long as the
    /// session works, or might.
    ///
    /// A session whose tokens have all expired, and which the identity provider refuses to renew for a reason that does
    /// not pass by itself, is of no use until the user signs in again. The user stays signed in: nothing is erased, and
    /// if a later refresh succeeds, the session works again. Listeners of both kinds are called when this changes, in
    /// every process of the group.
    public var sessionFailure: AuthError? { snapshot.sessionFailure }

    /// Indicates whether the user must sign in again.
    var needsSignIn: Bool { snapshot.tokens.endingRefusal != nil }

    /// The error because of which the last refresh brought no new tokens, or no ID token; nil if it did.
    package var refreshFailure: AuthError? { snapshot.tokens.refreshFailure }
}

extension UserTokens {
    /// The error because of which the last refresh brought no new tokens, or no ID token; nil if it did.
    package var refreshFailure: AuthError? {
        refusals.first { $0.reason != nil && $0.concerns(.idToken) && $0.exchanges == exchanges }?.error
    }
}

extension Account {
    /// The reason why the user must sign in again.
    package var sessionFailure: AuthError? {
        guard let error = tokens.endingRefusal?.error else { return nil }
        return AuthError(
            .requiresRecentLogin,
            "The session of \(uid) has expired, and was not renewed. \(error.message)",
            remedy: error.code == .requiresRecentLogin || error.remedy == nil
                ? "Sign in again." : "Sign in again. If that fails: \(error.remedy ?? "")"
        )
    }
}
