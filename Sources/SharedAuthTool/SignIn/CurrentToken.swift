internal import CommandLineSupport
internal import FoundationEssentials
internal import SharedAuth

/// A token of the current user, valid for some time at least, for another program to use.
struct CurrentToken {
    /// The ID token, or an access token.
    let text: String
    /// When it expires.
    let expirationDate: Date
    /// Who issued it, as the token says, else the issuer of the account; nil if that is not known.
    let issuer: String?
    let uid: String

    /// The token of the user in the slot in use, refreshed if need be.
    ///
    /// - Throws: what keeps the slot from being read; `nullUser` if nobody is signed in there; what the refresh fails with.
    init(of auth: Auth, forcingRefresh: Bool = false) throws(AuthError) {
        let user = try auth.knownUser()
        let tokens: UserTokens
        // Tokens that are still good are had without waiting for anything.
        if !forcingRefresh, let valid = user.validTokens {
            tokens = valid
        } else {
            tokens = try result { () async throws(AuthError) in
                try await user.tokens(forcingRefresh: forcingRefresh)
            }
        }
        guard let idToken = tokens.idToken else {
            throw AuthError(
                .operationNotAllowed,
                "The session of \(user.uid) has no ID token: the identity provider issues none.",
                remedy: "Run sharedauth token --access."
            )
        }
        (text, expirationDate) = (idToken, tokens.expirationDate)
        (issuer, uid) = (tokens.issuer ?? user.knownIssuer, user.uid)
    }

    /// An access token of the user in the slot in use, for these scopes; without any, for what was granted at the sign-in.
    ///
    /// - Throws: as the ID token; `operationNotAllowed` if the identity provider issued none for these scopes.
    init(accessOf auth: Auth, for scopes: Set<String>, forcingRefresh: Bool) throws(AuthError) {
        let user = try auth.knownUser()
        let token = try result { () async throws(AuthError) in
            try await user.accessTokenAndExpiry(forScopes: scopes, forcingRefresh: forcingRefresh)
        }
        (text, expirationDate) = (token.token, token.expirationDate)
        (issuer, uid) = (user.knownIssuer, user.uid)
    }

    /// Whom an ID token is for, as it says; nobody if it is not one that can be read.
    var audiences: [String] {
        switch JSONWebToken(text)?.claims["aud"] {
        case .string(let audience)?: [audience]
        case .array(let audiences)?: audiences.compactMap(\.string)
        default: []
        }
    }

    /// When it expires, in whole seconds since 1970, rounded down.
    var expiry: Int { Int(exactly: expirationDate.timeIntervalSince1970.rounded(.down)) ?? .max }
}

extension Auth {
    /// The user in the slot in use.
    ///
    /// - Throws: what keeps the slot from being read; `nullUser` if nobody is signed in there.
    func knownUser() throws(AuthError) -> User {
        let state = loadedState
        if let silence = state.silence { throw silence }
        if let failure = state.failure(in: userAccessGroup) { throw failure }
        if let user = currentUser { return user }
        let slot = userAccessGroup.map { "access group \($0)" } ?? "the app's own slot"
        throw AuthError(.nullUser, "Nobody is signed in in \(slot). Sign in first.")
    }
}
