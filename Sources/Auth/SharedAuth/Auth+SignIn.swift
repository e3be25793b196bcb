extension Auth {
    /// Signs in anonymously. An anonymous user who is current already stays, and is the result.
    ///
    /// - Throws: what the identity provider says, or an error of the keyring; then nothing changes.
    @discardableResult
    public func signInAnonymously() async throws(AuthError) -> AuthDataResult {
        try await engine.waitForFirstLoad()
        let present = try await engine.onQueue { [self] () throws(AuthError) in try confirmedAnonymousUser() }
        if let present { return AuthDataResult(user: present, additionalUserInfo: nil, credential: nil) }
        return try await signIn(with: nil, adoptsAnonymous: true) {
            identityProvider,
            tenantID async throws(AuthError) in
            try await identityProvider.signInAnonymously(tenantID: tenantID)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor, after the listeners.
    public func signInAnonymously(
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.signInAnonymously() }
    }

    /// Signs in with a credential.
    ///
    /// If the credential can be used only once, such as a link or a credential of another service, the sign-in runs to its end even
    /// if the task is cancelled, and the user is signed in: otherwise the credential would be lost.
    /// - Throws: what the identity provider says, `tenantIDMismatch`, or an error of the keyring; then nothing changes.
    @discardableResult
    public func signIn(with credential: AuthCredential) async throws(AuthError) -> AuthDataResult {
        let isCancellable = !credential.content.mayBeGoodOnce || Task.isCancelled
        return try await signIn(with: credential, isCancellable: isCancellable, isCallers: true)
    }

    private func signIn(
        with credential: AuthCredential,
        isCancellable: Bool,
        isCallers: Bool
    ) async throws(AuthError) -> AuthDataResult {
        try await signIn(
            with: credential.provider,
            isCancellable: isCancellable,
            keeping: isCallers ? credential.content.refreshToken : nil
        ) { identityProvider, tenantID async throws(AuthError) in
            try await identityProvider.signIn(with: credential, tenantID: tenantID)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor, after the listeners.
    public func signIn(
        with credential: AuthCredential,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.signIn(with: credential) }
    }

    /// Has a person sign in, e.g. in a browser, and signs in with the resulting credential (Firebase: `signIn(with:uiDelegate:)`).
    ///
    /// The person has the time that ``FederatedAuthProvider/timeout`` says, 5 minutes by default; after that, the identity provider
    /// has `Options.identityTimeout`.
    /// - Throws: `webContextAlreadyPresented` while another such sign-in of this `Auth` is running; `webContextCancelled` when the
    ///   person gives up, or the task is cancelled before the person is done; `timedOut`; what the provider says, or as `signIn(with:)`.
    @discardableResult
    public func signIn(with provider: any FederatedAuthProvider) async throws(AuthError) -> AuthDataResult {
        // Checked before the person signs in.
        _ = try engine.identityProvider.get()
        let credential = try await engine.federatedSignIn.credential(of: provider)
        // The person has signed in: what that gave is not thrown away.
        return try await signIn(with: credential, isCancellable: false, isCallers: false)
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor, after the listeners.
    public func signIn(
        with provider: any FederatedAuthProvider,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.signIn(with: provider) }
    }

    /// Signs in with an e-mail address and a password.
    ///
    /// - Throws: `userNotFound`, `wrongPassword`, or as `signIn(with:)`.
    @discardableResult
    public func signIn(withEmail email: String, password: String) async throws(AuthError) -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.credential(withEmail: email, password: password))
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor, after the listeners.
    public func signIn(
        withEmail email: String,
        password: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        signIn(with: EmailAuthProvider.credential(withEmail: email, password: password), completion: completion)
    }

    /// Signs in with a token that the app's own server made.
    ///
    /// - Throws: `invalidCustomToken`, or as `signIn(with:)`.
    @discardableResult
    public func signIn(withCustomToken token: String) async throws(AuthError) -> AuthDataResult {
        try await signIn(with: AuthCredential(provider: "custom", content: .customToken(token)))
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor, after the listeners.
    public func signIn(
        withCustomToken token: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.signIn(withCustomToken: token) }
    }

    /// Creates an account of an e-mail address and a password, and signs it in.
    ///
    /// - Throws: `emailAlreadyInUse`, `invalidEmail`, `weakPassword`, or as `signIn(with:)`.
    @discardableResult
    public func createUser(withEmail email: String, password: String) async throws(AuthError) -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.id) { identityProvider, tenantID async throws(AuthError) in
            try await identityProvider.createUser(withEmail: email, password: password, tenantID: tenantID)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor, after the listeners.
    public func createUser(
        withEmail email: String,
        password: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.createUser(withEmail: email, password: password)
        }
    }
}

extension Auth {
    /// Has the identity provider sign a user in, and makes that user current and stored. A session that comes too late or cannot be
    /// stored is revoked, unless the caller still has its refresh token and can try again.
    private func signIn(
        with providerID: String?,
        isCancellable: Bool = true,
        keeping refreshToken: String? = nil,
        adoptsAnonymous: Bool = false,
        _ obtain:
            @escaping @Sendable (any IdentityProvider, _ tenantID: String?) async throws(AuthError) -> IdentityGrant
    ) async throws(AuthError) -> AuthDataResult {
        let identityProvider = try engine.identityProvider.get()
        try await engine.waitForFirstLoad()
        let tenantID = try await engine.onQueue { [self] () throws(AuthError) in
            try engine.withOperation { operation throws(AuthError) in
                _ = try operation.currentSlot()
                return operation.state.tenant.id
            }
        }
        let grant: IdentityGrant
        do throws(AuthError) {
            grant = try await engine.identityProvider.ask(isCancellable: isCancellable) { () async throws(AuthError) in
                try await obtain(identityProvider, tenantID)
            } late: { [self] late in
                revoke(engine.account(of: late, from: identityProvider), keeping: refreshToken)
            }
        } catch {
            throw error.resuming(by: self) { [self] finish async throws(AuthError) in
                // A code of the second factor is for single use, too.
                try await signIn(with: providerID, isCancellable: Task.isCancelled) { _, _ async throws(AuthError) in
                    try await finish()
                }
            }
        }
        let account = engine.account(of: grant, from: identityProvider)
        do throws(AuthError) {
            try account.checkUID()
            let user = try await engine.onQueue { [self] () throws(AuthError) in
                try store(account, adoptsAnonymous: adoptsAnonymous)
            }
            return AuthDataResult(user, from: grant, by: providerID)
        } catch {
            // It may have been stored after all.
            if error.code != .outcomeUnknown { revoke(account, keeping: refreshToken) }
            throw error
        }
    }

    private func revoke(_ account: Account, keeping refreshToken: String?) {
        if refreshToken != nil, refreshToken == account.tokens.refreshToken { return }
        engine.revokeInBackground([account])
    }

    /// - Parameter adoptsAnonymous: whether an anonymous user whom another process has made meanwhile stays, and is the result: no sign-in
    ///   could bring that one back.
    private func store(_ account: Account, adoptsAnonymous: Bool) throws(AuthError) -> User {
        try engine.withOperation { operation throws(AuthError) in
            if operation.state.tenant.isChosen { try operation.state.checkTenant(of: account) }
            let changed = try operation.signIn(account) { adoptsAnonymous && ownAnonymous(in: $0) != nil }
            if let other = changed.contents.record.currentAccount, other.id != account.id {
                operation.take(changed)
                if let user = operation.state.user, user.id == other.id {
                    engine.revokeInBackground([account])
                    return user
                }
            }
            let user = User(account, auth: self, slot: changed.slot)
            operation.signedIn(user, in: changed.slot, changed.contents)
            return user
        }
    }

    /// The anonymous user whom the slot has as current; else one who is current here and could not be saved, who is saved now. Decided by the
    /// record alone, so that no anonymous user is replaced because the slot could not be read before.
    private func confirmedAnonymousUser() throws(AuthError) -> User? {
        try engine.withOperation { operation throws(AuthError) -> User? in
            let user = operation.state.user.flatMap { $0.isAnonymous ? $0 : nil }
            let (account, revision) = (user?.snapshot, operation.state.revision)
            let changed: ChangedSlot
            do throws(AuthError) {
                changed = try operation.change(.chosenSlot) { contents, _ in
                    // Saved again only if the slot is as this process left it: a peer's sign-out or sign-in stands.
                    guard let account, contents.revision == revision, contents.record.currentAccount != account else {
                        return .keep
                    }
                    return .store(contents.record.signingIn(account, keepingOthers: engine.options.keepsOtherUsers))
                }
            } catch {
                // A sign-in sets a damaged record aside.
                guard error.code == .recordDamaged else { throw error }
                return nil
            }
            operation.take(changed)
            guard ownAnonymous(in: changed.contents.record) != nil else { return nil }
            return operation.state.user.flatMap { $0.isAnonymous ? $0 : nil }
        }
    }

    /// The current account of a record if it is anonymous, and this app's identity provider issued it.
    private func ownAnonymous(in record: UserRecord) -> Account? {
        record.currentAccount.flatMap { $0.profile.isAnonymous && engine.identityProvider.issued($0) ? $0 : nil }
    }
}

extension AuthEngine {
    /// The account that a sign-in gives.
    fileprivate func account(of grant: IdentityGrant, from identityProvider: any IdentityProvider) -> Account {
        Account(
            profile: grant.profile,
            tokens: grant.tokens.issued(at: options.now()).beginningLineage(),
            project: options.project,
            issuer: identityProvider.issuer
        )
    }
}

extension AuthCredential.Content {
    /// That of the session that it comes with.
    fileprivate var refreshToken: String? {
        if case .oauth(let content) = self { content.refreshToken } else { nil }
    }

    /// Whether a second sign-in with it may be refused.
    fileprivate var mayBeGoodOnce: Bool {
        switch self {
        case .password, .customToken: false
        case .oauth, .emailLink: true
        }
    }
}
