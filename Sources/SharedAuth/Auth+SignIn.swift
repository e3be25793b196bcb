internal import SecretService

extension Auth {
    /// Signs in anonymously. An anonymous user who is current already stays, and is the result.
    ///
    /// - Throws: what the identity provider says, or an error of the keyring; then nothing changes.
    @discardableResult
    public func signInAnonymously() async throws(AuthError) -> AuthDataResult {
        let present = try await session.onQueue { [self] () throws(AuthError) in try confirmedAnonymousUser() }
        if let present { return AuthDataResult(user: present, additionalUserInfo: nil, credential: nil) }
        return try await signIn(with: nil) { identityProvider, tenantID async throws(AuthError) in
            try await identityProvider.signInAnonymously(tenantID: tenantID)
        }
    }

    /// As the async form; the completion is called through the app's listener executor, after the listeners.
    public func signInAnonymously(completion: (@Sendable (AuthDataResult?, AuthError?) -> Void)? = nil) {
        complete(completion) { auth async throws(AuthError) in try await auth.signInAnonymously() }
    }

    /// Signs in with a credential.
    ///
    /// - Throws: what the identity provider says, `tenantIDMismatch`, or an error of the keyring; then nothing changes.
    @discardableResult
    public func signIn(with credential: AuthCredential) async throws(AuthError) -> AuthDataResult {
        try await signIn(with: credential.provider) { identityProvider, tenantID async throws(AuthError) in
            try await identityProvider.signIn(with: credential, tenantID: tenantID)
        }
    }

    /// As the async form; the completion is called through the app's listener executor, after the listeners.
    public func signIn(
        with credential: AuthCredential,
        completion: (@Sendable (AuthDataResult?, AuthError?) -> Void)? = nil
    ) {
        complete(completion) { auth async throws(AuthError) in try await auth.signIn(with: credential) }
    }

    /// Signs in with an e-mail address and a password.
    ///
    /// - Throws: `userNotFound`, `wrongPassword`, or as `signIn(with:)`.
    @discardableResult
    public func signIn(withEmail email: String, password: String) async throws(AuthError) -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.credential(withEmail: email, password: password))
    }

    /// As the async form; the completion is called through the app's listener executor, after the listeners.
    public func signIn(
        withEmail email: String,
        password: String,
        completion: (@Sendable (AuthDataResult?, AuthError?) -> Void)? = nil
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

    /// As the async form; the completion is called through the app's listener executor, after the listeners.
    public func signIn(
        withCustomToken token: String,
        completion: (@Sendable (AuthDataResult?, AuthError?) -> Void)? = nil
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

    /// As the async form; the completion is called through the app's listener executor, after the listeners.
    public func createUser(
        withEmail email: String,
        password: String,
        completion: (@Sendable (AuthDataResult?, AuthError?) -> Void)? = nil
    ) {
        complete(completion) { auth async throws(AuthError) in
            try await auth.createUser(withEmail: email, password: password)
        }
    }
}

extension Auth {
    /// Has the identity provider sign a user in, and makes that user current and stored.
    private func signIn(
        with providerID: String?,
        _ obtain:
            @escaping @Sendable (any IdentityProvider, _ tenantID: String?) async throws(AuthError) -> IdentityGrant
    ) async throws(AuthError) -> AuthDataResult {
        let identityProvider = try session.identityProvider.get()
        let tenantID = try await session.onQueue { [self] () throws(AuthError) in
            try session.withOperation { operation throws(AuthError) in
                _ = try operation.currentSlot()
                return operation.state.tenant.id
            }
        }
        let grant = try await session.identityProvider.ask { () async throws(AuthError) in
            try await obtain(identityProvider, tenantID)
        }
        let account = Account(
            profile: grant.profile,
            tokens: grant.tokens.issued(at: session.options.now()),
            project: session.options.project,
            issuer: identityProvider.issuer
        )
        try account.checkUID()
        let user = try await session.onQueue { [self] () throws(AuthError) in try store(account) }
        return AuthDataResult(
            user: user,
            additionalUserInfo: AdditionalUserInfo(
                providerID: providerID,
                isNewUser: grant.isNewUser,
                username: grant.details.username,
                profile: grant.details.profile
            ),
            credential: grant.details.credential
        )
    }

    private func store(_ account: Account) throws(AuthError) -> User {
        try session.withOperation { operation throws(AuthError) in
            if operation.state.tenant.isChosen { try operation.state.checkTenant(of: account) }
            let slot = try operation.currentSlot()
            let contents = try operation.signIn(account, to: slot)
            let user = User(account, auth: self, slot: slot)
            operation.apply(.signedIn(user, in: slot, contents))
            return user
        }
    }

    /// The current user if anonymous, and still so in the slot; otherwise what the slot says is adopted.
    private func confirmedAnonymousUser() throws(AuthError) -> User? {
        try session.withOperation { operation throws(AuthError) -> User? in
            guard let user = operation.state.user, user.isAnonymous else { return nil }
            let slot = try operation.currentSlot()
            let (account, revision) = (user.snapshot, operation.state.revision)
            let contents = try session.slots.update(slot, by: operation.deadline) { contents in
                // Saved again only if the slot is as this process left it: a peer's sign-out or sign-in stands.
                guard contents.revision == revision, contents.record.currentAccount != account else { return .keep }
                return .store(contents.record.signingIn(account, keepingOthers: session.options.keepsOtherUsers))
            }
            operation.take(contents, in: slot)
            return operation.state.user.flatMap { $0.isAnonymous ? $0 : nil }
        }
    }
}

/// What a sign-in gives: the user, and what the identity provider adds (Firebase: `AuthDataResult`).
public struct AuthDataResult: Sendable {
    /// The user who is now current.
    public let user: User
    /// What the identity provider says of the sign-in; nil when it was not asked, because an anonymous user was current.
    public let additionalUserInfo: AdditionalUserInfo?
    /// What the service issued that the user signed in at, if the identity provider passes it on.
    public let credential: OAuthCredential?
}

/// What an identity provider says of a sign-in (Firebase: `AdditionalUserInfo`).
public struct AdditionalUserInfo: Sendable, Hashable {
    /// The kind of the credential, e.g. `password`; nil for an anonymous user.
    public let providerID: String?
    /// Whether the account was created by this sign-in.
    public let isNewUser: Bool
    /// The name of the account that the user signed in with, if the identity provider says it.
    public let username: String?
    /// Everything that was said of that account, if the identity provider passes it on.
    public let profile: [String: JSONValue]?
}

extension AdditionalUserInfo: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the credential, and whether the user is new.
    public var description: String { "AdditionalUserInfo(\(providerID ?? "anonymous"), new: \(isNewUser))" }
    /// The kind of the credential, and whether the user is new.
    public var debugDescription: String { description }
    /// The same: the rest is personal.
    public var customMirror: Mirror {
        Mirror(self, children: ["providerID": providerID as Any, "isNewUser": isNewUser])
    }
}
