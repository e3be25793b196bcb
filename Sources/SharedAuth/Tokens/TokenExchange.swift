extension TokenRefresher {
    /// Makes a call of the identity provider that may give other tokens, while no process refreshes the user's. Those that it gives are
    /// kept, to be saved over the ones that the slot has now.
    ///
    /// - Parameters:
    ///   - endsSession: whether the call is made with the user's tokens, so that an error that says so ends the session.
    ///   - call: gives a value, and the new tokens, if the present ones are good for nothing any more.
    /// - Throws: as `tokens(of:forcing:for:)`, and what the call throws.
    func exchange<Value: Sendable>(
        of user: User,
        for session: Session,
        endsSession: Bool,
        _ call: @escaping @Sendable (UserTokens) async throws(AuthError) -> (Value, UserTokens?)
    ) async throws(AuthError) -> Value {
        // A repeated sign-in does without good tokens.
        let present = endsSession ? try await tokens(of: user, forcing: false, for: session) : user.snapshot.tokens
        guard let slot = user.slot else {
            let (value, tokens) = try await session.identityProvider.ask { () async throws(AuthError) in
                try await call(present)
            }
            if let tokens { user.replaceTokens(with: tokens.issued(at: session.options.now())) }
            return value
        }
        let (lock, seen) = try await refreshLock(for: slot, for: session)
        defer { lock.release() }
        let stored = try await storedTokens(of: user, in: slot, for: session, having: seen)
        let used = stored.flatMap { !endsSession || isValid($0, atLeast: 0) ? $0 : nil } ?? present
        do throws(AuthError) {
            let (value, tokens) = try await session.identityProvider.ask { () async throws(AuthError) in
                try await call(used)
            } late: { [self] _, tokens in
                guard let tokens else { return }
                keep(tokens, over: used, of: user, in: slot)
                try? await save(user, in: slot, for: session)
            }
            if let tokens { keep(tokens, over: used, of: user, in: slot) }
            return value
        } catch {
            if endsSession { try await AccountUpdate(user: user, session: session).reject(used, because: error) }
            throw error
        }
    }
}
