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
    /// - Throws: as `tokens(of:forcing:for:)`, and what the call throws; `outcomeUnknown` if it takes longer than
    ///   `Options.identityTimeout`.
    func exchange<Value: Sendable>(
        of user: User,
        for engine: AuthEngine,
        endsSession: Bool,
        _ call: @escaping @Sendable (UserTokens) async throws(AuthError) -> (Value, UserTokens?),
        saving save: @escaping @Sendable (Value, Slot?) async throws(AuthError) -> Void
    ) async throws(AuthError) -> Value {
        let task = Task { [self] () -> Result<Value, AuthError> in
            do throws(AuthError) {
                return .success(
                    try await uncancelled(of: user, for: engine, endsSession: endsSession, call, saving: save)
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
        for engine: AuthEngine,
        endsSession: Bool,
        _ call: @escaping @Sendable (UserTokens) async throws(AuthError) -> (Value, UserTokens?),
        saving save: (Value, Slot?) async throws(AuthError) -> Void
    ) async throws(AuthError) -> Value {
        let deadline = Deadline.after(engine.exchangeTime)
        // A repeated sign-in does without good tokens.
        let present = endsSession ? try await tokens(of: user, forcing: false, for: engine) : user.snapshot.tokens
        guard let slot = user.slot else {
            try await engine.offload { () throws(AuthError) in try engine.checkHeldNowhere(user) }
            let answer = try await engine.identityProvider.ask(
                isLate: AuthError.changeIsLate
            ) { () async throws(AuthError) in
                try await ExchangeAnswer.of(call, with: present)
            }
            if let tokens = answer.tokens { user.replaceTokens(with: tokens.issued(at: engine.options.now())) }
            let value = try answer.result.get()
            try await save(value, nil)
            return value
        }
        let turn = try await ExchangeTurn.taken(for: user, in: slot, engine, by: deadline)
        defer { turn.end() }
        let place = turn.slot
        let used = turn.stored.flatMap { !endsSession || isValid($0, atLeast: 0) ? $0 : nil } ?? present
        let inFlight = turn.shared(atMost: engine.longestExchange)
        let answer: ExchangeAnswer<Value>
        do throws(AuthError) {
            answer = try await engine.identityProvider.ask(
                timeout: engine.identityTime(within: deadline),
                isLate: AuthError.changeIsLate
            ) { () async throws(AuthError) in
                try await ExchangeAnswer.of(call, with: used)
            } late: { [self] late in
                guard let tokens = late.tokens else { return }
                keep(tokens, over: used, of: user, in: place)
                try? await self.save(user, in: place, for: engine)
            } ended: {
                inFlight.end()
            }
        } catch {
            if endsSession {
                try await AccountUpdate(user: user, engine: engine).reject(used, in: place, because: error)
            }
            throw error
        }
        if let tokens = answer.tokens { keep(tokens, over: used, of: user, in: place) }
        switch answer.result {
        case .success(let value):
            try await save(value, place)
            return value
        case .failure(let error):
            try? await self.save(user, in: place, for: engine)
            if endsSession {
                let new = user.snapshot.tokens
                try await AccountUpdate(user: user, engine: engine).reject(new, in: place, because: error)
            }
            throw error
        }
    }
}

/// What such a call brought.
private struct ExchangeAnswer<Value: Sendable>: Sendable {
    /// The value; or why it was refused, though tokens came.
    let result: Result<Value, AuthError>
    let tokens: UserTokens?

    /// Makes the call; the tokens are there also where the rest of the answer was refused.
    static func of(
        _ call: @Sendable (UserTokens) async throws(AuthError) -> (Value, UserTokens?),
        with tokens: UserTokens
    ) async throws(AuthError) -> ExchangeAnswer {
        do throws(AuthError) {
            let (value, tokens) = try await call(tokens)
            return ExchangeAnswer(result: .success(value), tokens: tokens)
        } catch {
            guard let tokens = error.details?.tokens else { throw error }
            return ExchangeAnswer(result: .failure(error.withoutDetails), tokens: tokens)
        }
    }
}

extension AuthError {
    /// The error without what is for this library alone.
    var withoutDetails: AuthError { AuthError(code, message, remedy: remedy, underlying: underlying) }

    /// The error with the tokens that came all the same, in place of its details.
    package func bringing(_ tokens: UserTokens) -> AuthError {
        AuthError(code, message, remedy: remedy, details: .tokens(tokens), underlying: underlying)
    }
}
