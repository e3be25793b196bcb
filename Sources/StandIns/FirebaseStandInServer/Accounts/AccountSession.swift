internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// A sign-in of an account with all its refreshes.
struct AccountSession: Sendable {
    let id: String
    let uid: String
    /// The time of the sign-in. A refresh does not change it.
    let signedIn: Date
    /// Firebase's name of the sign-in method: `password`, `anonymous`, `custom`, `google.com`.
    let method: String
    /// The id of the second factor.
    var factorID: String?
    /// The claims of a custom token.
    var claims: [String: JSONValue] = [:]
    /// The current refresh token.
    var refreshToken = RandomText.make(bytes: 48)
    var isEnded = false
}

/// The tokens to issue.
struct Grant: Sendable {
    let uid: String
    let refreshToken: String
    let claims: [String: JSONValue]
    let seconds: Int
}

/// The account and session of the ID token in a call.
struct Caller: Sendable {
    let account: Account
    let session: AccountSession
}

extension Directory {
    /// Starts a session, or requests the second factor if the account has one.
    mutating func signIn(
        _ uid: String,
        by method: String,
        claims: [String: JSONValue] = [:],
        isNew: Bool = false,
        at now: Date
    ) throws(Refusal) -> Reply {
        guard let account = accounts[uid] else { throw Refusal("USER_NOT_FOUND") }
        if account.isDisabled { throw Refusal("USER_DISABLED") }
        if !account.factors.isEmpty {
            let pending = RandomText.make(bytes: 24)
            pendingSignIns[pending] = PendingSignIn(uid: uid, method: method, claims: claims, begun: now)
            note(.secondFactorAsked, uid)
            return Reply(members: [
                "mfaPendingCredential": .string(pending), "mfaInfo": .array(account.factors.map(\.wire)),
            ])
        }
        note(isNew ? .signUp : .signIn, uid, method)
        return Reply(grant: begin(uid, by: method, claims: claims, at: now))
    }

    /// Starts a session.
    mutating func begin(
        _ uid: String,
        by method: String,
        factorID: String? = nil,
        claims: [String: JSONValue] = [:],
        at now: Date
    ) -> Grant {
        accounts[uid]?.lastSignIn = now
        accounts[uid]?.lastRefresh = now
        var session = AccountSession(id: RandomText.make(bytes: 12), uid: uid, signedIn: now, method: method)
        session.factorID = factorID
        session.claims = claims
        return keep(session, at: now)
    }

    /// Ends all sessions of an account and starts a new one in place of `session`, with the same second factor.
    mutating func renew(_ session: AccountSession, at now: Date) -> Grant {
        renew(session, factorID: session.factorID, at: now)
    }

    /// Ends all sessions of an account and starts a new one in place of `session`, with a given second factor.
    mutating func renew(_ session: AccountSession, factorID: String?, at now: Date) -> Grant {
        endSessions(of: session.uid, at: now)
        var next = AccountSession(
            id: RandomText.make(bytes: 12),
            uid: session.uid,
            signedIn: session.signedIn,
            method: session.method == "anonymous" && accounts[session.uid]?.isAnonymous == false
                ? "password" : session.method
        )
        next.factorID = factorID
        next.claims = session.claims
        return keep(next, at: now)
    }

    /// Ends all sessions of an account.
    mutating func endSessions(of uid: String, at now: Date) {
        accounts[uid]?.validSince = now
        for (id, session) in sessions where session.uid == uid && !session.isEnded { sessions[id]?.isEnded = true }
    }

    private mutating func keep(_ session: AccountSession, at now: Date) -> Grant {
        sessions[session.id] = session
        sessionIDs[session.refreshToken] = session.id
        return Grant(
            uid: session.uid,
            refreshToken: session.refreshToken,
            claims: claims(of: session, at: now),
            seconds: settings.idTokenSeconds
        )
    }

    /// Exchanges a refresh token. A second exchange of the same token ends the session, because it shows that the token
    /// has two holders.
    mutating func refresh(_ token: String, at now: Date) throws(Refusal) -> Grant {
        guard let id = sessionIDs[token], var session = sessions[id] else {
            note(.refreshRefused, nil, "INVALID_REFRESH_TOKEN")
            throw Refusal("INVALID_REFRESH_TOKEN")
        }
        func refuse(_ word: String) -> Refusal {
            note(.refreshRefused, session.uid, word)
            return Refusal(word)
        }
        guard let account = accounts[session.uid] else { throw refuse("USER_NOT_FOUND") }
        if account.isDisabled { throw refuse("USER_DISABLED") }
        if session.isEnded { throw refuse("TOKEN_EXPIRED") }
        if session.refreshToken != token {
            sessions[id]?.isEnded = true
            note(.tokenReused, session.uid)
            throw refuse("TOKEN_EXPIRED")
        }
        if settings.rotatesRefreshTokens { session.refreshToken = RandomText.make(bytes: 48) }
        accounts[session.uid]?.lastRefresh = now
        note(.refresh, session.uid)
        return keep(session, at: now)
    }

    /// Returns the caller that the claims of an ID token name. The signature is already verified.
    func caller(_ claims: [String: JSONValue], at now: Date) throws(Refusal) -> Caller {
        guard claims["aud"]?.string == project, let uid = claims["sub"]?.string,
            let session = claims["stand_in_session"]?.string.flatMap({ sessions[$0] }), session.uid == uid
        else { throw Refusal("INVALID_ID_TOKEN") }
        guard let account = accounts[uid] else { throw Refusal("USER_NOT_FOUND") }
        if account.isDisabled { throw Refusal("USER_DISABLED") }
        guard let expiry = claims["exp"]?.number, expiry > now.timeIntervalSince1970 else {
            throw Refusal("INVALID_ID_TOKEN")
        }
        if session.isEnded { throw Refusal("TOKEN_EXPIRED") }
        return Caller(account: account, session: session)
    }

    /// Throws a refusal if the sign-in is not recent. Accepts anonymous users, who cannot sign in again.
    func checkRecency(of caller: Caller, at now: Date) throws(Refusal) {
        let age = now.timeIntervalSince(caller.session.signedIn)
        if !caller.account.isAnonymous, age > Double(settings.recentSignInSeconds) {
            throw Refusal("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        }
    }

    /// Returns the claims of an ID token.
    private func claims(of session: AccountSession, at now: Date) -> [String: JSONValue] {
        guard let account = accounts[session.uid] else { return [:] }
        var identities: [String: JSONValue] = [:]
        if let email = account.email { identities["email"] = .array([.string(email)]) }
        for provider in account.providers {
            identities[provider.identity.providerID] = .array([.string(provider.identity.subject)])
        }
        var firebase: [String: JSONValue] = [
            "identities": .object(identities), "sign_in_provider": .string(session.method),
        ]
        firebase.set("tenant", account.tenantID)
        if let factor = session.factorID {
            firebase["sign_in_second_factor"] = .string("totp")
            firebase["second_factor_identifier"] = .string(factor)
        }
        var claims = account.customClaims.merging(session.claims) { _, session in session }
        claims["iss"] = .string("https://securetoken.google.com/\(project)")
        claims["aud"] = .string(project)
        claims["sub"] = .string(account.uid)
        claims["user_id"] = .string(account.uid)
        claims["auth_time"] = .number(Double(session.signedIn.wholeSeconds))
        claims["iat"] = .number(Double(now.wholeSeconds))
        claims["exp"] = .number(Double(now.wholeSeconds + settings.idTokenSeconds))
        claims["firebase"] = .object(firebase)
        // A claim of the stand-in's own; Google's tokens do not name their session.
        claims["stand_in_session"] = .string(session.id)
        // Dates count whole seconds, and an app tells a refreshed token from the former one.
        claims["jti"] = .string(RandomText.make(bytes: 16))
        claims.set("email", account.email)
        if account.email != nil { claims["email_verified"] = .bool(account.isEmailVerified) }
        claims.set("name", account.displayName)
        claims.set("picture", account.photoURL)
        if session.method == "anonymous" { claims["provider_id"] = .string("anonymous") }
        return claims
    }
}
