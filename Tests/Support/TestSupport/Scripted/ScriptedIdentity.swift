package import FoundationEssentials
package import SharedAuth
internal import Synchronization

/// An identity provider whose users and tokens the test chooses.
package final class ScriptedIdentity: AccountProvider {
    private struct Script {
        var next: [IdentityGrant] = []
        var failures: [AuthError] = []
        var refreshes = 0
        var lastTenant: String?
        var profiles: [String: UserProfile] = [:]
        var onRefresh: (@Sendable () async -> Void)?
        var lifetime: TimeInterval = 3600
        var now: @Sendable () -> Date = { Date() }
    }

    private let script = Mutex(Script())

    package let issuer: String

    /// Makes an identity provider with this issuer. With nil, the issuer is the project's own.
    package init(issuer: String? = nil) {
        self.issuer = issuer ?? Account.ownIssuer
    }

    /// A factory that returns this identity provider.
    package var source: IdentityProviderFactory { IdentityProviderFactory { _ in self } }

    /// The number of refreshes.
    package var refreshes: Int { script.withLock { $0.refreshes } }

    /// The tenant of the last sign-in.
    package var lastTenant: String? { script.withLock { $0.lastTenant } }

    /// Makes the next sign-in return this user.
    package func expect(_ grant: IdentityGrant) { script.withLock { $0.next.append(grant) } }

    /// Makes the next call fail.
    package func fail(_ code: AuthErrorCode) {
        script.withLock { $0.failures.append(AuthError(code, "The script says so.")) }
    }

    /// Runs `work` in the middle of each refresh.
    package func duringRefresh(_ work: (@Sendable () async -> Void)?) { script.withLock { $0.onRefresh = work } }

    /// Sets the identity provider's clock, by which refreshed tokens expire.
    package func tellTime(by now: @escaping @Sendable () -> Date) { script.withLock { $0.now = now } }

    /// Sets the lifetime of refreshed tokens.
    package func issueTokens(lasting lifetime: TimeInterval) { script.withLock { $0.lifetime = lifetime } }

    /// Sets the profile that the identity provider returns for a user from now on.
    package func setProfile(_ profile: UserProfile) { setProfile(profile, answering: profile.uid) }

    /// Sets the profile that the identity provider returns to a client with a token of the user `uid`.
    package func setProfile(_ profile: UserProfile, answering uid: String) {
        script.withLock { $0.profiles[uid] = profile }
    }

    package var revokesSessions: Bool { false }

    package func signInAnonymously(tenantID: String?) async throws(AuthError) -> IdentityGrant {
        try nextGrant(in: tenantID)
    }

    package func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant {
        try nextGrant(in: tenantID)
    }

    package func createUser(
        withEmail email: String,
        password: String,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant { try nextGrant(in: tenantID) }

    package func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        let (work, count, lifetime, now) = script.withLock { script in
            script.refreshes += 1
            return (script.onRefresh, script.refreshes, script.lifetime, script.now)
        }
        await work?()
        try failIfScripted()
        let uid = owner(of: tokens)
        return .scripted(uid, "refreshed-\(count)", lasting: lifetime, from: now())
    }

    package func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        try failIfScripted()
        let uid = owner(of: tokens)
        return script.withLock { $0.profiles[uid] } ?? UserProfile(uid: uid)
    }

    package func updateProfile(
        _ change: UserProfileChange,
        for tokens: UserTokens
    ) async throws(AuthError) -> AccountChange {
        var profile = try await profile(for: tokens)
        profile.displayName = change.displayName.applied(to: profile.displayName)
        profile.photoURL = change.photoURL.applied(to: profile.photoURL)
        setProfile(profile)
        return AccountChange(profile: profile)
    }

    package func deleteAccount(for tokens: UserTokens) async throws(AuthError) { try failIfScripted() }

    private func owner(of tokens: UserTokens) -> String {
        let token = tokens.refreshToken ?? tokens.idToken ?? tokens.accessTokens.first?.token ?? ""
        return token.split(separator: "/").first.map(String.init) ?? "?"
    }

    private func nextGrant(in tenant: String?) throws(AuthError) -> IdentityGrant {
        try failIfScripted()
        let grant = script.withLock { script in
            script.lastTenant = tenant
            return script.next.isEmpty ? nil : script.next.removeFirst()
        }
        guard let grant else { throw AuthError(.internalError, "The script has no more users.") }
        return grant
    }

    private func failIfScripted() throws(AuthError) {
        let failure = script.withLock { $0.failures.isEmpty ? nil : $0.failures.removeFirst() }
        if let failure { throw failure }
    }
}

extension IdentityGrant {
    /// Returns a grant of a user with this uid and with tokens of this name.
    package static func scripted(
        _ uid: String,
        _ token: String = "1",
        anonymous: Bool = false,
        tenantID: String? = nil,
        lasting lifetime: TimeInterval = 3600,
        from now: Date = Date()
    ) -> IdentityGrant {
        IdentityGrant(
            profile: UserProfile(uid: uid, isAnonymous: anonymous, tenantID: tenantID),
            tokens: .scripted(uid, token, lasting: lifetime, from: now),
            isNewUser: true
        )
    }
}

extension UserTokens {
    /// Returns tokens that contain their user's uid.
    package static func scripted(
        _ uid: String,
        _ name: String,
        lasting lifetime: TimeInterval = 3600,
        from now: Date = Date()
    ) -> UserTokens {
        UserTokens(
            idToken: "\(uid)/id/\(name)",
            refreshToken: "\(uid)/refresh/\(name)",
            expirationDate: now.addingTimeInterval(lifetime)
        )
    }
}
