extension Auth {
    /// Signs in anonymously. An anonymous user who is current already stays, and is the result.
    ///
    /// - Throws: what the identity provider says, or an error of the keyring; then nothing changes.
    @discardableResult
    public func signInAnonymously() async throws(AuthError) -> AuthDataResult {
        let present = try await onQueue { [self] () throws(AuthError) in try confirmedAnonymousUser() }
        if let present { return AuthDataResult(user: present, additionalUserInfo: nil) }
        return try await signIn(with: nil) { provider, tenantID async throws(AuthError) in
            try await provider.signInAnonymously(tenantID: tenantID)
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
        try await signIn(with: credential.provider) { provider, tenantID async throws(AuthError) in
            try await provider.signIn(with: credential, tenantID: tenantID)
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
        try await signIn(with: EmailAuthProvider.id) { provider, tenantID async throws(AuthError) in
            try await provider.createUser(withEmail: email, password: password, tenantID: tenantID)
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
