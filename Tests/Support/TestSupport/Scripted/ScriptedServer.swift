package import SharedAuth
internal import Synchronization

/// An identity provider that offers every account operation, returns the results that the test sets, and records every
/// call.
package final class ScriptedServer: AccountProvider, EmailActions {
    private struct Script {
        var calls: [String] = []
        var answers: [IdentityGrant] = []
        var failures: [AuthError] = []
        var refreshes = 0
        var onCall: (@Sendable () async -> Void)?
    }

    private let script = Mutex(Script())
    package let issuer: String

    package init(issuer: String = "https://server.example") {
        self.issuer = issuer
    }

    /// A factory that returns this identity provider.
    package var source: IdentityProviderFactory { IdentityProviderFactory { _ in self } }

    /// The calls so far: the operation, and the token of the call.
    package var calls: [String] { script.withLock { $0.calls } }

    /// Takes the calls since the last time.
    package func takeCalls() -> [String] {
        script.withLock { script in
            defer { script.calls = [] }
            return script.calls
        }
    }

    /// Makes the next sign-in or operation return this user and these tokens, if they are not those of the call.
    package func answer(_ grant: IdentityGrant) { script.withLock { $0.answers.append(grant) } }

    /// Makes the next call fail.
    package func fail(_ code: AuthErrorCode) {
        script.withLock { $0.failures.append(AuthError(code, "The script says so.")) }
    }

    /// Runs `work` in the middle of each call.
    package func duringCalls(_ work: (@Sendable () async -> Void)?) { script.withLock { $0.onCall = work } }

    package func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant {
        try await next("sign-in \(credential.provider)")
    }

    /// Returns tokens with the next number, and an access token if the session has one or scopes are requested.
    package func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        try await note("refresh \(tokens.refreshToken ?? "none") \(scopes.sorted().joined(separator: "+"))")
        let number = script.withLock { script in
            script.refreshes += 1
            return script.refreshes
        }
        let scopes = scopes.isEmpty ? tokens.accessTokens.first?.scopes ?? [] : scopes
        return .server("x", "\(number)", hasIDToken: tokens.idToken != nil, scopes: [scopes])
    }

    package func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        try await note("profile")
        return UserProfile(uid: "x")
    }

    package func revoke(_ tokens: UserTokens) async throws(AuthError) {
        try await note("revoke \(tokens.refreshToken ?? "none")")
    }

    package func updateProfile(
        _ change: UserProfileChange,
        for tokens: UserTokens
    ) async throws(AuthError) -> AccountChange { try await answered("profile", tokens) }

    package func updateEmail(to email: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange {
        try await answered("email", tokens)
    }

    package func updatePassword(to password: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange {
        try await answered("password", tokens)
    }

    package func link(_ credential: AuthCredential, to tokens: UserTokens) async throws(AuthError) -> IdentityGrant {
        try await next("link \(tokens.refreshToken ?? "none")")
    }

    package func unlink(providerID: String, from tokens: UserTokens) async throws(AuthError) -> AccountChange {
        try await answered("unlink", tokens)
    }

    package func reauthenticate(
        with credential: AuthCredential,
        for profile: UserProfile
    ) async throws(AuthError) -> IdentityGrant { try await next("reauthenticate \(profile.uid)") }

    package func deleteAccount(for tokens: UserTokens) async throws(AuthError) { try await note("delete") }

    package func sendPasswordReset(
        to email: String,
        settings: ActionCodeSettings?,
        tenantID: String?
    ) async throws(AuthError) { try await note("reset \(email) \(tenantID ?? "none")") }

    package func verifyPasswordResetCode(_ code: String, tenantID: String?) async throws(AuthError) -> String {
        try await note("verify \(code)")
        return "ada@example.com"
    }

    package func confirmPasswordReset(
        withCode code: String,
        newPassword: String,
        tenantID: String?
    ) async throws(AuthError) { try await note("confirm \(code)") }

    package func sendEmailVerification(
        for tokens: UserTokens,
        settings: ActionCodeSettings?
    ) async throws(AuthError) { try await note("verification \(tokens.idToken ?? "none")") }

    package func sendEmailVerification(
        beforeUpdatingEmail email: String,
        for tokens: UserTokens,
        settings: ActionCodeSettings?
    ) async throws(AuthError) { try await note("verification \(email)") }

    package func sendSignInLink(
        to email: String,
        settings: ActionCodeSettings,
        tenantID: String?
    ) async throws(AuthError) { try await note("link to \(email)") }

    package func checkActionCode(_ code: String, tenantID: String?) async throws(AuthError) -> ActionCodeInfo {
        try await note("check \(code)")
        return ActionCodeInfo(operation: .verifyEmail, email: "ada@example.com")
    }

    package func applyActionCode(_ code: String, tenantID: String?) async throws(AuthError) {
        try await note("apply \(code)")
    }

    private func answered(_ name: String, _ tokens: UserTokens) async throws(AuthError) -> AccountChange {
        let grant = try await next("\(name) \(tokens.refreshToken ?? "none")")
        return AccountChange(profile: grant.profile, tokens: grant.tokens == tokens ? nil : grant.tokens)
    }

    private func next(_ call: String) async throws(AuthError) -> IdentityGrant {
        try await note(call)
        let grant = script.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
        if let grant { return grant }
        throw AuthError(.internalError, "The script has no more answers.")
    }

    private func note(_ call: String) async throws(AuthError) {
        let work = script.withLock { script in
            script.calls.append(call)
            return script.onCall
        }
        await work?()
        let failure = script.withLock { $0.failures.isEmpty ? nil : $0.failures.removeFirst() }
        if let failure { throw failure }
    }
}

extension UserTokens {
    /// Returns tokens as ``ScriptedServer`` issues them: an access token for each set of scopes.
    package static func server(
        _ uid: String,
        _ name: String,
        hasIDToken: Bool = true,
        hasRefreshToken: Bool = true,
        scopes: [Set<String>] = [],
        lasting lifetime: Double = 3600
    ) -> UserTokens {
        let pair = UserTokens.scripted(uid, name, lasting: lifetime)
        return UserTokens(
            idToken: hasIDToken ? pair.idToken : nil,
            refreshToken: hasRefreshToken ? pair.refreshToken : nil,
            expirationDate: pair.expirationDate,
            accessTokens: scopes.map {
                AccessToken(
                    token: "\(uid)/access/\(name)/\($0.sorted().joined(separator: "+"))",
                    scopes: $0,
                    expirationDate: pair.expirationDate
                )
            }
        )
    }
}

extension IdentityGrant {
    /// Returns a grant of a user with this uid and with tokens of ``ScriptedServer``.
    package static func server(_ uid: String, _ tokens: UserTokens, providers: [String] = []) -> IdentityGrant {
        IdentityGrant(
            profile: UserProfile(uid: uid, providerData: providers.map { UserInfo(providerID: $0, uid: uid) }),
            tokens: tokens,
            isNewUser: false
        )
    }
}
