extension Auth {
    /// Signs in anonymously. If the current user is already anonymous, returns that user.
    ///
    /// - Throws: An error of the identity provider; `tenantIDMismatch` if the slot's current user, whom another app
    ///   signed in, is anonymous and belongs to another tenant than ``tenantID``; a keyring error. Nothing changes then.
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

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor,
    /// after the listeners.
    public func signInAnonymously(
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.signInAnonymously() }
    }

    /// Signs in with a credential.
    ///
    /// If the credential may be valid only once, as a link or a credential of another service, the sign-in continues
    /// even if the task is cancelled, and the user is signed in; otherwise the credential would be lost.
    ///
    /// - Throws: An error of the identity provider; `tenantIDMismatch` if the user belongs to another tenant; a keyring
    ///   error. Nothing changes then.
    @discardableResult
    public func signIn(with credential: AuthCredential) async throws(AuthError) -> AuthDataResult {
        try await signIn(
            with: credential.provider,
            isCancellable: !credential.content.mayBeGoodOnce || Task.isCancelled,
            keeping: credential.content.tokens
        ) { identityProvider, tenantID async throws(AuthError) in
            try await identityProvider.signIn(with: credential, tenantID: tenantID)
        }
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor,
    /// after the listeners.
    public func signIn(
        with credential: AuthCredential,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.signIn(with: credential) }
    }

    /// Lets the user sign in interactively, e.g. in a browser, and signs in with the resulting credential (Firebase:
    /// `signIn(with:uiDelegate:)`).
    ///
    /// The user has ``FederatedAuthProvider/timeout``, 5 minutes by default. The identity provider then has
    /// `Options.identityTimeout`.
    ///
    /// Nothing is shown if the result could not be kept, such as while the keyring is locked: call
    /// ``unlock(timeout:)`` then, and sign in again.
    ///
    /// - Throws: `webContextAlreadyPresented` if another interactive sign-in of this `Auth` is running;
    ///   `webContextCancelled` if the user cancels, or if the task is cancelled before the user is done; `timedOut` if
    ///   the time limit passes; an error of `provider`; the errors of `signIn(with:)` with a credential.
    @discardableResult
    public func signIn(with provider: any FederatedAuthProvider) async throws(AuthError) -> AuthDataResult {
        // Checked before the user signs in.
        _ = try engine.identityProvider.get()
        _ = try await engine.checkCanSignIn()
        let credential = try await engine.credential(of: provider)
        // The user has signed in: keep the credential even if the task is cancelled.
        return try await signIn(
            with: credential.provider,
            isCancellable: false,
            holding: HeldCredential(credential: credential, provider: provider)
        ) { identityProvider, tenantID async throws(AuthError) in
            try await identityProvider.signIn(with: credential, tenantID: tenantID)
        }
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor,
    /// after the listeners.
    public func signIn(
        with provider: any FederatedAuthProvider,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.signIn(with: provider) }
    }

    /// Signs in with an e-mail address and a password.
    ///
    /// - Throws: `userNotFound` if no account has the address; `wrongPassword` if the password is wrong; the errors of
    ///   `signIn(with:)`.
    @discardableResult
    public func signIn(withEmail email: String, password: String) async throws(AuthError) -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.credential(withEmail: email, password: password))
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor,
    /// after the listeners.
    public func signIn(
        withEmail email: String,
        password: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        signIn(with: EmailAuthProvider.credential(withEmail: email, password: password), completion: completion)
    }

    /// Signs in with a custom token, which the app's own server created.
    ///
    /// - Throws: `invalidCustomToken` if the token is malformed or not of this project; the errors of `signIn(with:)`.
    @discardableResult
    public func signIn(withCustomToken token: String) async throws(AuthError) -> AuthDataResult {
        try await signIn(with: AuthCredential(provider: "custom", content: .customToken(token)))
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor,
    /// after the listeners.
    public func signIn(
        withCustomToken token: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.signIn(withCustomToken: token) }
    }

    /// Creates an account with an e-mail address and a password, and signs it in.
    ///
    /// - Throws: `emailAlreadyInUse` if another account has the address; `invalidEmail` if the address is malformed;
    ///   `weakPassword` if the password is too weak; the errors of `signIn(with:)`.
    @discardableResult
    public func createUser(withEmail email: String, password: String) async throws(AuthError) -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.id) { identityProvider, tenantID async throws(AuthError) in
            try await identityProvider.createUser(withEmail: email, password: password, tenantID: tenantID)
        }
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor,
    /// after the listeners.
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

/// A credential that an interactive sign-in has obtained, and that nobody else has.
private struct HeldCredential {
    let credential: AuthCredential
    let provider: any FederatedAuthProvider
}

extension Auth {
    /// Checks that a user can be stored, calls the identity provider to sign the user in, stores the user and makes it
    /// current. Then ends the sessions of the users whom it replaced.
    ///
    /// Ends a session that arrives too late or cannot be stored, unless the caller still has its tokens and can try
    /// again.
    ///
    /// - Parameter held: the credential of an interactive sign-in, before which the slot was checked.
    private func signIn(
        with providerID: String?,
        isCancellable: Bool = true,
        keeping given: UserTokens? = nil,
        holding held: HeldCredential? = nil,
        adoptsAnonymous: Bool = false,
        _ obtain:
            @escaping @Sendable (any IdentityProvider, _ tenantID: String?) async throws(AuthError) -> IdentityGrant
    ) async throws(AuthError) -> AuthDataResult {
        let identityProvider = try engine.identityProvider.get()
        let tenantID = if held == nil { try await engine.checkCanSignIn() } else { engine.state.tenant.id }
        let grant: IdentityGrant
        do throws(AuthError) {
            grant = try await engine.identityProvider.ask(isCancellable: isCancellable) { () async throws(AuthError) in
                try await obtain(identityProvider, tenantID)
            } late: { [self] late in
                await end(engine.account(of: late, from: identityProvider), keeping: given, holding: held)
            }
        } catch {
            // With some errors, the caller gets the means to go on.
            if let held, error.details?.secondFactor == nil, error.details?.credential == nil {
                await engine.discard(held.credential, of: held.provider)
            }
            throw error.resuming(by: self) { [self] finish async throws(AuthError) in
                // A code of the second factor is valid only once, too.
                try await signIn(with: providerID, isCancellable: Task.isCancelled) { _, _ async throws(AuthError) in
                    try await finish()
                }
            }
        }
        let account = engine.account(of: grant, from: identityProvider)
        do throws(AuthError) {
            try account.checkUID()
            let stored = try await engine.onQueue { [self] () throws(AuthError) in
                try store(account, adoptsAnonymous: adoptsAnonymous)
            }
            await engine.revokeDropped(stored.dropped)
            if !stored.isNew { await engine.revokeUnstored(account) }
            return AuthDataResult(stored.user, from: grant, by: providerID)
        } catch {
            // If the outcome is unknown, the user may be stored.
            if error.code != .outcomeUnknown { await end(account, keeping: given, holding: held) }
            throw error
        }
    }

    /// Ends the session of an account that was not stored, and that of the credential that it was obtained with.
    private func end(_ account: Account, keeping given: UserTokens?, holding held: HeldCredential?) async {
        let tokens = account.tokens
        if given?.areOfSession(of: tokens) != true { await engine.revokeUnstored(account) }
        // Of a sign-in at the app's own server, the two are one session.
        if let held, held.credential.content.tokens?.areOfSession(of: tokens) != true {
            await engine.discard(held.credential, of: held.provider)
        }
    }

    /// The result of storing an account.
    private struct Stored {
        let user: User
        /// False if another process had signed in an anonymous user, who stays.
        var isNew = true
        /// The accounts that the new one has replaced.
        var dropped: [Account] = []
    }

    /// Stores the account and makes its user current.
    ///
    /// - Parameter adoptsAnonymous: True to keep and return an anonymous user whom another process has created in the
    ///   meantime, because no sign-in could restore that user.
    private func store(_ account: Account, adoptsAnonymous: Bool) throws(AuthError) -> Stored {
        try engine.withOperation { operation throws(AuthError) in
            if operation.state.tenant.isChosen { try operation.state.checkTenant(of: account) }
            switch try operation.signIn(account, unless: { adoptsAnonymous && ownAnonymous(in: $0) != nil }) {
            case .stored(let stored, let dropped):
                let user = User(stored.account, auth: self, slot: stored.slot)
                operation.apply(.signedIn(user, stored))
                return Stored(user: user, dropped: dropped)
            case .refused(let changed):
                if let user = try adoptAnonymous(in: changed, operation) { return Stored(user: user, isNew: false) }
                throw AuthError(.conflict, "Other processes keep changing the current user.", remedy: "Try again.")
            }
        }
    }

    /// Adopts the result of a change. If the slot's current user is an anonymous one of this app's issuer, that user is
    /// current here, too.
    ///
    /// - Returns: that user.
    /// - Throws: `tenantIDMismatch` if the user would become current here, and belongs to another tenant.
    private func adoptAnonymous(in changed: ChangedSlot, _ operation: Operation) throws(AuthError) -> User? {
        let contents = operation.take(changed)
        guard operation.state.slot == changed.slot, let account = ownAnonymous(in: contents.record) else { return nil }
        if operation.state.user?.id != account.id {
            if operation.state.tenant.isChosen { try operation.state.checkTenant(of: account) }
            operation.apply(.selected(contents, in: changed.slot))
        }
        return operation.state.user
    }

    /// Returns the slot's current user if anonymous. Otherwise, if this process has a current anonymous user who could
    /// not be saved, saves and returns that user.
    ///
    /// The record alone decides, so that no anonymous user is replaced because the slot could not be read earlier.
    ///
    /// - Throws: as `adoptAnonymous(in:_:)`; an error of the keyring.
    private func confirmedAnonymousUser() throws(AuthError) -> User? {
        try engine.withOperation { operation throws(AuthError) -> User? in
            let user = operation.state.user.flatMap { $0.isAnonymous ? $0 : nil }
            let (account, revision) = (user?.snapshot, operation.state.revision)
            let changed: ChangedSlot
            do throws(AuthError) {
                changed = try operation.change(.slotInUse) { contents, _ in
                    // Saved only if the slot has not changed since: a peer's sign-out or sign-in takes precedence.
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
            return try adoptAnonymous(in: changed, operation)
        }
    }

    /// Returns the current account of a record if it is anonymous and this app's identity provider issued it.
    private func ownAnonymous(in record: UserRecord) -> Account? {
        record.currentAccount.flatMap { $0.profile.isAnonymous && engine.identityProvider.issued($0) ? $0 : nil }
    }
}

extension Auth {
    /// Ends the session of a sign-in whose result arrived after the sign-in had failed, unless it is a stored one.
    package func discard(_ grant: IdentityGrant, of identityProvider: any IdentityProvider) async {
        await end(engine.account(of: grant, from: identityProvider), keeping: nil, holding: nil)
    }
}

extension AuthEngine {
    /// Returns the account of a sign-in's result.
    fileprivate func account(of grant: IdentityGrant, from identityProvider: any IdentityProvider) -> Account {
        Account(
            profile: grant.profile,
            tokens: grant.tokens.issued(at: options.now()).beginningLineage(),
            project: options.project,
            issuer: grant.issuer ?? identityProvider.issuer
        )
    }
}

extension AuthCredential.Content {
    /// The refresh token of the session that the credential carries, if there is one.
    var refreshToken: String? {
        if case .oauth(let content) = self { content.refreshToken } else { nil }
    }

    /// Indicates whether a second sign-in with the credential may be rejected.
    fileprivate var mayBeGoodOnce: Bool {
        switch self {
        case .password, .customToken: false
        case .oauth, .emailLink: true
        }
    }
}
