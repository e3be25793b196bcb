internal import FoundationEssentials
internal import Glibc
internal import SharedAuth
internal import Synchronization
internal import TestSupport

/// An identity provider without accounts: the command names the user who signs in, and the user's tokens.
final class PeerIdentity: AccountProvider {
    private struct State {
        var anonymous: (uid: String, token: String)?
        var names: [String: String] = [:]
        var issued = 0
        var isHolding = false
        var lifetime = 3600.0
        var padding = 0
        var spent: Set<String> = []
        var refusal: AuthErrorCode?
        var exchanges: [HistoryAct.Exchange] = []
    }

    private let state = Mutex(State())

    let issuer: String
    /// The suffix of this issuer's tokens; nil if they do not name it.
    private let mark: String?
    /// The directory of files with the names of the refresh tokens that were used, by any process.
    private let used: String?

    /// - Parameters:
    ///   - issuer: The issuer, which its tokens name; nil for a provider that does not name itself.
    ///   - used: A directory in which the processes of one issuer note the refresh tokens that were used.
    init(issuer: String? = nil, used: String? = nil) {
        self.issuer = issuer ?? Account.ownIssuer
        self.used = used
        mark = issuer.map { "@\($0)" }
    }

    /// Sets the user of the next anonymous sign-in.
    func expectAnonymous(_ uid: String, _ token: String) {
        state.withLock { $0.anonymous = (uid, token) }
    }

    /// Sets the lifetime of the tokens of later sign-ins, in seconds.
    func issueTokens(lasting lifetime: Double) { state.withLock { $0.lifetime = lifetime } }

    /// Makes later refreshes write `refused` and fail; with nil, makes them succeed again.
    func refuse(_ code: AuthErrorCode?) { state.withLock { $0.refusal = code } }

    /// Makes later ID tokens longer by this number of characters.
    func padTokens(by padding: Int) { state.withLock { $0.padding = padding } }

    /// Makes the next refresh or reload write `held` and wait for the next line of standard input.
    func holdOnce() { state.withLock { $0.isHolding = true } }

    var revokesSessions: Bool { false }

    func signInAnonymously(tenantID: String?) async throws(AuthError) -> IdentityGrant {
        guard let (uid, token) = state.withLock({ $0.anonymous }) else {
            throw AuthError(.operationNotAllowed, "No anonymous user is expected.")
        }
        return grant(uid, token, isAnonymous: true)
    }

    func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant {
        guard case .password(let uid, let token) = credential.content else {
            throw AuthError(.operationNotAllowed, "A uid and a token are needed.")
        }
        return grant(uid, token, isAnonymous: false)
    }

    func createUser(
        withEmail email: String,
        password: String,
        tenantID: String?
    ) async throws(AuthError) -> IdentityGrant { grant(email, password, isAnonymous: false) }

    /// Takes the exchanges of tokens since the last call.
    func takeExchanges() -> [HistoryAct.Exchange] {
        state.withLock { state in
            defer { state.exchanges = [] }
            return state.exchanges
        }
    }

    func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        holdIfAsked()
        report(tokens)
        if let code = state.withLock({ $0.refusal }) {
            LineOutput.write(PeerLine(event: "refused"))
            throw AuthError(code, "The peer refuses the refresh.", remedy: "Sign in again.")
        }
        let (number, isSpent) = state.withLock { state in
            state.issued += 1
            return (state.issued, !state.spent.insert(tokens.refreshToken ?? "").inserted)
        }
        let former = tokens.refreshToken ?? ""
        if (isSpent || !isFirstUse(of: tokens)), mark != nil {
            note(.init(used: former, issued: nil))
            LineOutput.write(PeerLine(event: "reused"))
            throw AuthError(.invalidUserToken, "The refresh token was used before.")
        }
        let present = SessionToken(former)
        let refreshed = self.tokens(
            SessionToken(uid: present.uid, number: "refreshed-\(getpid())-\(number)", tenant: present.tenant)
        )
        note(.init(used: former, issued: refreshed.refreshToken))
        return refreshed
    }

    func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        holdIfAsked()
        report(tokens)
        let uid = owner(of: tokens)
        return UserProfile(uid: uid, displayName: state.withLock { $0.names[uid] ?? "reloaded" })
    }

    func updateProfile(
        _ change: UserProfileChange,
        for tokens: UserTokens
    ) async throws(AuthError) -> AccountChange {
        let uid = owner(of: tokens)
        state.withLock { $0.names[uid] = change.displayName.applied(to: $0.names[uid]) }
        return AccountChange(profile: try await profile(for: tokens))
    }

    func deleteAccount(for tokens: UserTokens) async throws(AuthError) {}

    private func note(_ exchange: HistoryAct.Exchange) { state.withLock { $0.exchanges.append(exchange) } }

    private func holdIfAsked() {
        let isHolding = state.withLock { state in
            defer { state.isHolding = false }
            return state.isHolding
        }
        guard isHolding else { return }
        LineOutput.write(PeerLine(event: "held"))
        _ = readLine()
    }

    /// Reports tokens that another issuer issued.
    private func report(_ tokens: UserTokens) {
        guard let mark, tokens.refreshToken?.hasSuffix(mark) != true else { return }
        LineOutput.write(PeerLine(event: "foreign"))
    }

    /// Notes the use of a refresh token for all processes. Returns false if one of them has used it before.
    private func isFirstUse(of tokens: UserTokens) -> Bool {
        guard let used, let token = tokens.refreshToken else { return true }
        let name = token.map { $0 == "/" ? "_" : String($0) }.joined()
        let file = unsafe open("\(used)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
        return file >= 0
    }

    /// Signs a user in, who belongs to the tenant that the token names.
    private func grant(_ uid: String, _ token: String, isAnonymous: Bool) -> IdentityGrant {
        let new = SessionToken("\(uid)/\(token)")
        return IdentityGrant(
            profile: UserProfile(uid: uid, isAnonymous: isAnonymous, tenantID: new.tenant),
            tokens: tokens(new, lasting: state.withLock { $0.lifetime }),
            isNewUser: true
        )
    }

    private func tokens(_ token: SessionToken, lasting lifetime: Double = 3600) -> UserTokens {
        let text = token.text + (mark ?? "")
        return UserTokens(
            idToken: text + String(repeating: "i", count: state.withLock { $0.padding }),
            refreshToken: text,
            expirationDate: Date().addingTimeInterval(lifetime)
        )
    }

    private func owner(of tokens: UserTokens) -> String { SessionToken(tokens.refreshToken ?? "").uid }
}
