extension TokenRefresher {
    /// Makes a call of the identity provider that may give other tokens, and saves what came of it, while no process refreshes the
    /// user's. The tokens that it gives are kept, to be saved over the ones that the slot has now.
    ///
    /// It goes on when the caller's task is cancelled: the call may already have made the present tokens useless, and the new ones
    /// must not be lost.
    ///
    /// - Parameters:
    ///   - endsSession: whether the call is made with the user's tokens, so that an error that says so ends the session.
    ///   - call: gives a value, and the new tokens, if the present ones are good for nothing any more.
    ///   - save: saves the value, and with it the tokens that are kept, in the slot that the user is in; nil: in none.
    /// - Throws: as `tokens(of:forcing:for:)`, and what the call throws.
    func exchange<Value: Sendable>(
        of user: User,
        for session: Session,
        endsSession: Bool,
        _ call: @escaping @Sendable (UserTokens) async throws(AuthError) -> (Value, UserTokens?),
        saving save: @escaping @Sendable (Value, Slot?) async throws(AuthError) -> Void
    ) async throws(AuthError) -> Value {
        let task = Task { [self] () -> Result<Value, AuthError> in
            do throws(AuthError) {
                return .success(
                    try await uncancelled(of: user, for: session, endsSession: endsSession, call, saving: save)
                )
            } catch {
                return .failure(error)
            }
        }
        return try await task.value.get()
    }

    /// The exchange in a task of its own, which nobody cancels.
    private func uncancelled<Value: Sendable>(
        of user: User,
        for session: Session,
        endsSession: Bool,
        _ call: @escaping @Sendable (UserTokens) async throws(AuthError) -> (Value, UserTokens?),
        saving save: (Value, Slot?) async throws(AuthError) -> Void
    ) async throws(AuthError) -> Value {
        // A repeated sign-in does without good tokens.
        let present = endsSession ? try await tokens(of: user, forcing: false, for: session) : user.snapshot.tokens
        guard let slot = user.slot else {
            let (value, tokens) = try await session.identityProvider.ask { () async throws(AuthError) in
                try await call(present)
            }
            if let tokens { user.replaceTokens(with: tokens.issued(at: session.options.now())) }
            try await save(value, nil)
            return value
        }
        let turn = try await ExchangeTurn.taken(for: user, in: slot, session)
        defer { turn.end() }
        let place = turn.slot
        let used = turn.stored.flatMap { !endsSession || isValid($0, atLeast: 0) ? $0 : nil } ?? present
        let value: Value
        do throws(AuthError) {
            let tokens: UserTokens?
            (value, tokens) = try await session.identityProvider.ask { () async throws(AuthError) in
                try await call(used)
            } late: { [self] _, tokens in
                guard let tokens else { return }
                keep(tokens, over: used, of: user, in: place)
                try? await self.save(user, in: place, for: session)
            }
            if let tokens { keep(tokens, over: used, of: user, in: place) }
        } catch {
            if endsSession {
                try await AccountUpdate(user: user, session: session).reject(used, in: place, because: error)
            }
            throw error
        }
        try await save(value, place)
        return value
    }
}
