internal import SecretService
internal import Synchronization

extension Auth {
    func identityProvider() throws(AuthError) -> any IdentityProvider {
        if let misconfiguration { throw misconfiguration }
        if let provider { return provider.value }
        throw AuthError(
            .operationNotAllowed,
            "\(identity.appID) was configured without an identity provider. Set Options.identityProvider, e.g. to .local "
                + "of LocalIdentity."
        )
    }

    /// Has the identity provider sign a user in, and makes that user current and stored.
    func signIn(
        with providerID: String?,
        _ obtain: (any IdentityProvider, _ tenantID: String?) async throws(AuthError) -> IdentityGrant
    ) async throws(AuthError) -> AuthDataResult {
        let provider = try identityProvider()
        let tenantID = try await onQueue { [self] () throws(AuthError) in
            try begin().end()
            _ = try currentSlot()
            return memory.withLock { $0.tenantIsChosen ? $0.tenantID : nil }
        }
        let grant = try await obtain(provider, tenantID)
        let account = Account(profile: grant.profile, tokens: grant.tokens, project: options.project)
        let user = try await onQueue { [self] () throws(AuthError) in try store(account) }
        return AuthDataResult(
            user: user,
            additionalUserInfo: AdditionalUserInfo(providerID: providerID, isNewUser: grant.isNewUser)
        )
    }

    private func store(_ account: Account) throws(AuthError) -> User {
        let operation = try begin()
        defer { operation.end() }
        if memory.withLock({ $0.tenantIsChosen }) { try checkTenant(of: account) }
        let slot = try currentSlot()
        let contents = try signIn(account, to: slot, within: operation.deadline)
        let user = User(account, auth: self, slot: slot)
        memory.withLock { settle(user, at: contents.revision, in: &$0) }
        return user
    }

    /// The current user if anonymous, and still so in the slot; what the slot says otherwise is adopted.
    func confirmedAnonymousUser() throws(AuthError) -> User? {
        let operation = try begin()
        defer { operation.end() }
        guard let user = memory.withLock({ $0.user }), user.isAnonymous else { return nil }
        let slot = try currentSlot()
        let (account, revision) = (user.snapshot, memory.withLock { $0.revision })
        let contents = try slots.update(slot, within: operation.deadline) { contents in
            // Saved again only if the slot is as this process left it: a peer's sign-out or sign-in stands.
            guard contents.revision == revision, contents.record.currentAccount != account else { return .keep }
            return .store(contents.record.signingIn(account, keepingOthers: options.keepsOtherUsers))
        }
        adopt(contents, in: slot)
        return memory.withLock { $0.user.flatMap { $0.isAnonymous ? $0 : nil } }
    }

    /// Runs an async form for a completion handler.
    func complete<Value: Sendable>(
        _ completion: (@Sendable (Value?, AuthError?) -> Void)?,
        _ operation: @escaping @Sendable (Auth) async throws(AuthError) -> Value
    ) {
        Task {
            let (value, error): (Value?, AuthError?)
            do throws(AuthError) {
                (value, error) = (try await operation(self), nil)
            } catch let failure {
                (value, error) = (nil, failure)
            }
            if let completion { announcer.deliver { completion(value, error) } }
        }
    }
}
