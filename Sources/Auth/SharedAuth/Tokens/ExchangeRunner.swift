internal import DesktopSupport

/// Runs the exchanges of one user's tokens, and performs their effects.
struct ExchangeRunner<Value: Sendable>: Sendable {
    let user: User
    let engine: AuthEngine
    /// Calls the identity provider.
    let request: @Sendable (UserTokens) async throws(AuthError) -> ExchangeAnswer<Value>
    /// Calls the identity provider for a refresh without scopes, after one for some scopes was refused.
    var confirmation: (@Sendable (UserTokens) async throws(AuthError) -> ExchangeAnswer<Value>)?
    /// Saves the value of the call, together with the kept tokens, in the slot of the user. The slot is nil for a user
    /// in no slot.
    ///
    /// - Returns: true if the user is stored.
    var save: (@Sendable (Value, Slot?) async throws(AuthError) -> Bool)?
    /// Runs when the exchange has the turn for the first time.
    ///
    /// - Throws: `timedOut` if no caller waits for it any longer.
    var onTurn: @Sendable () throws(AuthError) -> Void = {}
    let deadline: Deadline

    /// The state of the runner during an exchange.
    private struct Progress {
        var exchange: TokenExchange
        var turn: ExchangeTurn?
        var isTurnNoted = false
        var value: Value?
    }

    /// Runs an exchange to its end.
    ///
    /// - Returns: the value, if the identity provider was called, and the user's tokens.
    /// - Throws: the error of the exchange.
    func run(_ exchange: TokenExchange) async throws(AuthError) -> (value: Value?, tokens: UserTokens) {
        var progress = Progress(exchange: exchange)
        defer { progress.turn?.end() }
        var effects = exchange.beginning
        while !effects.isEmpty {
            let effect = effects.removeFirst()
            if case .end(let result) = effect { return (progress.value, try result.get()) }
            guard let event = await perform(effect, &progress) else { continue }
            effects += progress.exchange.handle(event)
        }
        throw AuthError(.internalError, "A token exchange ended without a result.")
    }

    /// Runs an exchange that must return a value.
    ///
    /// - Throws: the error of the exchange, or `internalError` if it ended without a value.
    func value(of exchange: TokenExchange) async throws(AuthError) -> Value {
        if let value = try await run(exchange).value { return value }
        throw AuthError(.internalError, "A token exchange ended without a value.")
    }

    private func perform(
        _ effect: TokenExchange.Effect,
        _ progress: inout Progress
    ) async -> TokenExchange.Event? {
        switch effect {
        case .takeTurn(let slot): return await takeTurn(in: slot, &progress)
        case .look(let slot):
            do throws(AuthError) {
                return .looked(try await engine.find(user, in: slot))
            } catch {
                return .lookFailed(error)
            }
        case .endTurn:
            progress.turn?.end()
            progress.turn = nil
            return nil
        case .ask(let tokens): return await ask(request, with: tokens, &progress)
        case .confirm(let tokens): return await ask(confirmation ?? request, with: tokens, &progress)
        case .keep(let tokens, let used):
            keep(tokens, over: used, in: progress.exchange.slot)
            return nil
        case .save(let isMade):
            do throws(AuthError) {
                let isStored = try await save(isMade ? progress.value : nil, in: progress.exchange.slot)
                return .saved(user.snapshot.tokens, isStored: isStored)
            } catch {
                return .saveFailed(error)
            }
        case .reject(let tokens):
            if let slot = progress.exchange.slot { await engine.signOut(user, of: slot, ifItHas: tokens) }
            return .rejected
        case .revoke(let tokens):
            var account = user.snapshot
            account.tokens = tokens
            engine.revokeInBackground([account])
            return nil
        case .end: return nil
        }
    }

    private func takeTurn(
        in slot: Slot?,
        _ progress: inout Progress
    ) async -> TokenExchange.Event {
        do throws(AuthError) {
            guard let slot else {
                try noteTurn(&progress)
                try await engine.offload { [engine, user] () throws(AuthError) in try engine.checkHeldNowhere(user) }
                return .looked(.nowhere)
            }
            let (turn, finding) = try await ExchangeTurn.taken(for: user, in: slot, engine, by: deadline)
            progress.turn = turn
            try noteTurn(&progress)
            return .looked(finding)
        } catch {
            return .lookFailed(error)
        }
    }

    private func noteTurn(_ progress: inout Progress) throws(AuthError) {
        if progress.isTurnNoted { return }
        progress.isTurnNoted = true
        try onTurn()
    }

    /// Calls the identity provider. The turn is kept as long as the call lasts, even if its caller has stopped waiting.
    /// Tokens that arrive later are saved nevertheless.
    private func ask(
        _ request: @escaping @Sendable (UserTokens) async throws(AuthError) -> ExchangeAnswer<Value>,
        with tokens: UserTokens,
        _ progress: inout Progress
    ) async -> TokenExchange.Event {
        let exchange = progress.exchange
        if progress.turn?.isLost == true {
            return .refused(
                AuthError(
                    .conflict,
                    "The message bus was lost before the tokens of \(user.uid) were exchanged.",
                    remedy: "Try again."
                )
            )
        }
        let inFlight = progress.turn?.shared(atMost: engine.longestExchange)
        do throws(AuthError) {
            let answer = try await engine.identityProvider.ask(
                timeout: exchange.isInTurn ? engine.identityTime(within: deadline) : nil,
                isLate: exchange.changesAccount ? AuthError.changeIsLate : AuthError.identityProviderIsLate
            ) { () async throws(AuthError) in
                try await request(tokens)
            } late: { [self] late in
                if let tokens = late.tokens { await takeLate(tokens, exchange) }
            } ended: {
                inFlight?.end()
            }
            progress.value = answer.value
            return .answered(answer.tokens, refusal: answer.refusal)
        } catch {
            return .refused(error)
        }
    }

    /// Saves tokens that arrived late: the exchange has taken place, and only these tokens are valid.
    private func takeLate(_ tokens: UserTokens, _ exchange: TokenExchange) async {
        var progress = Progress(exchange: exchange)
        var effects = progress.exchange.handle(.late(tokens))
        while !effects.isEmpty {
            guard let event = await perform(effects.removeFirst(), &progress) else { continue }
            effects += progress.exchange.handle(event)
        }
    }

    private func keep(_ tokens: UserTokens, over used: UserTokens, in slot: Slot?) {
        if let slot { engine.unsavedTokens.keep(tokens, over: used, of: user.id, in: slot) }
        user.replaceTokens(with: tokens)
    }

    private func save(_ value: Value?, in slot: Slot?) async throws(AuthError) -> Bool {
        if let value, let save { return try await save(value, slot) }
        guard let slot else { return false }
        return try await engine.saveTokens(of: user, in: slot)
    }
}

/// The response of an identity provider.
struct ExchangeAnswer<Value: Sendable>: Sendable {
    /// The value; nil if it was refused although tokens arrived.
    var value: Value?
    /// The tokens that replace those of the call.
    var tokens: UserTokens?
    /// The reason why part of the response was refused.
    var refusal: AuthError?
}

extension ExchangeAnswer {
    /// Makes a call. The result has the tokens even if the rest of the response was refused.
    ///
    /// - Throws: the error of the call, if no tokens came with it.
    static func of(
        _ call: () async throws(AuthError) -> (Value, UserTokens?)
    ) async throws(AuthError) -> ExchangeAnswer {
        do throws(AuthError) {
            let (value, tokens) = try await call()
            return ExchangeAnswer(value: value, tokens: tokens)
        } catch {
            guard let tokens = error.details?.tokens else { throw error }
            return ExchangeAnswer(tokens: tokens, refusal: error.withoutDetails)
        }
    }
}

extension AuthError {
    /// The error without details, which are for this library alone.
    var withoutDetails: AuthError { AuthError(code, message, remedy: remedy, underlying: underlying) }

    /// Returns the error with the tokens that arrived nevertheless, in place of its details.
    package func bringing(_ tokens: UserTokens) -> AuthError {
        AuthError(code, message, remedy: remedy, details: .tokens(tokens), underlying: underlying)
    }
}
