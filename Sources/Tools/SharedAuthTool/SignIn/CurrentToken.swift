internal import CommandLineSupport
internal import FoundationEssentials
internal import SharedAuth

/// A token of the current user, to be passed to another program.
struct CurrentToken {
    /// The ID token, or an access token.
    let text: String
    /// The expiry date.
    let expirationDate: Date
    /// The issuer from the token, or else of the account; nil if unknown.
    let issuer: String?
    let uid: String

    /// Reads the ID token of the user in the slot in use, and refreshes it if needed.
    ///
    /// - Throws: The reason the slot cannot be read; `nullUser` if no user is signed in there; the error of the
    ///   refresh; `operationNotAllowed` if the session has no ID token.
    init(of auth: Auth, forcingRefresh: Bool = false) throws(AuthError) {
        let user = try auth.knownUser()
        let tokens: UserTokens
        // Use valid tokens without waiting for anything.
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
                "The session of \(user.uid) has no valid ID token: the identity provider issues none.",
                remedy: "Run sharedauth token --access."
            )
        }
        (text, expirationDate) = (idToken, tokens.expirationDate)
        (issuer, uid) = (tokens.issuer ?? user.knownIssuer, user.uid)
    }

    /// Gets an access token of the user in the slot in use: for these scopes, or if there are none, for those granted
    /// at the sign-in.
    ///
    /// - Throws: As for the ID token; `operationNotAllowed` if the identity provider issued none for these scopes.
    init(accessOf auth: Auth, for scopes: Set<String>, forcingRefresh: Bool) throws(AuthError) {
        let user = try auth.knownUser()
        let token = try result { () async throws(AuthError) in
            try await user.accessTokenAndExpiry(forScopes: scopes, forcingRefresh: forcingRefresh)
        }
        (text, expirationDate) = (token.token, token.expirationDate)
        (issuer, uid) = (user.knownIssuer, user.uid)
    }

    /// The audiences of an ID token; empty if it cannot be decoded.
    var audiences: [String] {
        switch CompactJWS(text)?.claims?["aud"] {
        case .string(let audience)?: [audience]
        case .array(let audiences)?: audiences.compactMap(\.string)
        default: []
        }
    }

    /// False if the token never expires.
    var expires: Bool { expirationDate != .distantFuture }

    /// The expiry in whole seconds since 1970, rounded down.
    var expiry: Int { Int(exactly: expirationDate.timeIntervalSince1970.rounded(.down)) ?? .max }
}

extension Auth {
    /// Returns the user in the slot in use.
    ///
    /// - Throws: The reason the slot cannot be read; `nullUser` if no user is signed in there.
    func knownUser() throws(AuthError) -> User {
        let state = loadedState
        if let silence = state.silence { throw silence }
        if let failure = state.failure(in: userAccessGroup) { throw failure }
        if let user = currentUser { return user }
        let slot = userAccessGroup.map { "access group \($0)" } ?? "the app's own slot"
        throw AuthError(.nullUser, "No user is signed in to \(slot). Sign in first.")
    }
}
