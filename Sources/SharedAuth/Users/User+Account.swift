extension User {
    /// Fetches the profile from the identity provider, and saves it for every app of the slot.
    ///
    /// No listener is called for it, in any app; a peer's `currentUser` shows the new profile by itself.
    /// - Throws: as `getIDToken(forcingRefresh:)`.
    public func reload() async throws(AuthError) {
        try await owningAuth().reload(self)
    }

    /// As the async form; the completion is called through the app's listener executor.
    public func reload(completion: (@Sendable (AuthError?) -> Void)? = nil) {
        complete({ completion?($1) }) { user async throws(AuthError) in try await user.reload() }
    }

    /// Deletes the account at the identity provider, and signs the user out of the slot.
    ///
    /// - Throws: what the identity provider says; then the user stays signed in.
    public func delete() async throws(AuthError) {
        try await owningAuth().deleteAccount(of: self)
    }

    /// As the async form; the completion is called through the app's listener executor.
    public func delete(completion: (@Sendable (AuthError?) -> Void)? = nil) {
        complete({ completion?($1) }) { user async throws(AuthError) in try await user.delete() }
    }

    /// Begins a change of the display name or the photo.
    public func createProfileChangeRequest() -> UserProfileChangeRequest {
        UserProfileChangeRequest(user: self)
    }
}

extension User {
    func owningAuth() throws(AuthError) -> Auth {
        if let auth { return auth }
        throw .authIsGone
    }

    /// Runs an async form for a completion handler.
    func complete<Value: Sendable>(
        _ completion: @escaping @Sendable (Value?, AuthError?) -> Void,
        _ operation: @escaping @Sendable (User) async throws(AuthError) -> Value
    ) {
        guard let auth else {
            // Without its Auth a user can do nothing, and no executor is known.
            Task { completion(nil, .authIsGone) }
            return
        }
        auth.complete(completion) { [self] _ async throws(AuthError) in try await operation(self) }
    }
}

extension AuthError {
    fileprivate static var authIsGone: AuthError {
        AuthError(.internalError, "The user's Auth is gone. Keep the AuthApp while you use its users.")
    }
}
