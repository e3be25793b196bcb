internal import Dispatch
internal import FoundationEssentials

/// Refreshes tokens: one process for all, one refresh for the callers of a process. A token that was received but could not
/// be saved is never lost.
final class TokenRefresher: Sendable {
    /// An ID token that expires within this time is refreshed before it is handed out, as in Firebase.
    static let margin: TimeInterval = 5 * 60
    /// The same for an access token, some of which last five minutes in all.
    static let accessTokenMargin: TimeInterval = 60
    /// How long the caller waits for another process's exchange whose token can still be used: as long as most exchanges take.
    private static let patience = Duration.seconds(2)
    /// How long that token has to last more, so that it outlasts the wait and its way to a server.
    private static let usableTime: TimeInterval = 15
    /// How often a refresh starts over because a peer brought newer tokens meanwhile.
    private static let attempts = 3

    let unsaved = UnsavedTokens()
    private let running = RefreshCoalescer()
    private let timer: RefreshTimer?
    private let now: @Sendable () -> Date

    init(options: AuthApp.Options, queue: DispatchQueue) {
        now = options.now
        timer =
            options.refreshesTokens
            ? RefreshTimer(schedule: options.schedule ?? RefreshTimer.schedule(on: queue), now: options.now)
            : nil
    }

    /// The user whose tokens are kept fresh from now on, if any are wanted at all.
    func keepFresh(_ user: User?) { timer?.follow(user) }

    /// The user's tokens, refreshed if need be.
    ///
    /// A token that is due, but has not expired, is given as it is when another process has the turn to exchange it and keeps that.
    ///
    /// - Parameters:
    ///   - scopes: what an access token is wanted for; nil if none is.
    ///   - isPatient: whether to wait for the turn even where the present token would do.
    /// - Throws: `timedOut` after ``AuthEngine/exchangeTime``; what the identity provider says, `issuerMismatch`, or an error of the keyring; new tokens that could not be
    ///   saved stay in memory.
    func tokens(
        of user: User,
        forcing: Bool,
        scopes: Set<String>? = nil,
        isPatient: Bool = false,
        for engine: AuthEngine
    ) async throws(AuthError) -> UserTokens {
        if let timer {
            // This makes the identity provider, if nothing else has yet.
            _ = engine.identityProvider.issued(user.snapshot)
            timer.want()
        }
        let tokens = user.snapshot.tokens
        if !forcing, isValid(tokens, for: scopes) { return tokens }
        let slot = user.slot
        let key = RefreshCoalescer.Key(
            slot: slot,
            account: user.id,
            object: slot == nil ? ObjectIdentifier(user) : nil,
            scopes: scopes
        )
        let canWait = forcing || isPatient || !isValid(tokens, for: scopes, atLeast: Self.usableTime)
        let refreshed = try await running.tokens(
            for: key,
            leavingAfter: canWait ? nil : Self.patience
        ) { [self] turn async throws(AuthError) in
            try await refresh(user, rejecting: tokens, for: scopes, in: slot, engine, turn)
        }
        return refreshed ?? tokens
    }

    /// Refreshes the user's tokens if they expire soon, and saves those that could not be saved before.
    func keep(_ user: User, for engine: AuthEngine) async throws(AuthError) {
        let tokens = try await tokens(of: user, forcing: false, isPatient: true, for: engine)
        guard let slot = user.slot, unsaved.entry(of: user.id, in: slot)?.tokens == tokens else { return }
        try await save(user, in: slot, for: engine)
    }

    /// Writes the tokens that could not be saved before, where the slot still has those that they replace.
    ///
    /// - Returns: what the slot holds afterwards.
    func saveUnsaved(
        over contents: SlotContents,
        in slot: Slot,
        _ operation: Operation
    ) throws(AuthError) -> SlotContents {
        var contents = contents
        for entry in unsaved.entries(in: slot) {
            if contents.record.account(entry.id).map(entry.replaces) == true {
                contents = try operation.revise(entry.id, in: .named(slot), entry.write).contents
            }
            unsaved.settle(entry, in: slot, found: contents.record.account(entry.id)?.tokens)
        }
        return contents
    }

    /// Whether the token that is wanted is handed out as it is: the ID token lasts five minutes more, or half of its life where that
    /// is shorter; the access token for these scopes lasts one. What cannot be refreshed is handed out until it expires.
    func isValid(_ tokens: UserTokens, for scopes: Set<String>? = nil, atLeast: TimeInterval? = nil) -> Bool {
        let expirationDate = scopes.map { tokens.accessToken(for: $0)?.expirationDate } ?? tokens.expirationDate
        // Half the life of one that lasts minutes only: else it would be refreshed at every use.
        let issueDate = tokens.issueDate ?? .distantPast
        let half = max((expirationDate ?? .distantFuture).timeIntervalSince(issueDate) / 2, 0)
        let usual = scopes == nil ? min(Self.margin, half) : Self.accessTokenMargin
        let margin = tokens.refreshToken == nil ? 0 : atLeast ?? usual
        return expirationDate.map { $0.timeIntervalSince(now()) > margin } ?? false
    }

    private func refresh(
        _ user: User,
        rejecting rejected: UserTokens,
        for scopes: Set<String>?,
        in slot: Slot?,
        _ engine: AuthEngine,
        _ wait: TurnWait
    ) async throws(AuthError) -> UserTokens {
        let identityProvider = try engine.identityProvider.get(for: user.snapshot)
        let deadline = Deadline.after(engine.exchangeTime, cancelledBy: wait.cancellation)
        guard let slot else {
            try wait.end()
            try await engine.offload { () throws(AuthError) in try engine.checkHeldNowhere(user) }
            try checkRefreshable(rejected, of: user)
            let answer = try await engine.identityProvider.ask { () async throws(AuthError) in
                try await identityProvider.exchange(rejected, of: user.uid, for: scopes ?? [])
            }
            user.replaceTokens(with: rejected.refreshed(by: answer.tokens, for: scopes ?? [], at: now()))
            return try usable(user.snapshot.tokens, after: answer, rejecting: rejected, for: scopes)
        }
        var turn = try await ExchangeTurn.taken(for: user, in: slot, engine, by: deadline)
        defer { turn.end() }
        try wait.end()
        var used = rejected
        for attempt in 1...Self.attempts {
            if let stored = turn.stored, stored != used {
                let isOther = stored.token(for: scopes) != rejected.token(for: scopes)
                if isOther, isValid(stored, for: scopes, atLeast: 0) { return stored }
                used = stored
            }
            let (exchanged, slot) = (used, turn.slot)
            do throws(AuthError) {
                try checkRefreshable(exchanged, of: user)
                let inFlight = turn.shared(atMost: engine.longestExchange)
                let answer = try await engine.identityProvider.ask(
                    timeout: engine.identityTime(within: deadline)
                ) { () async throws(AuthError) in
                    try await identityProvider.exchange(exchanged, of: user.uid, for: scopes ?? [])
                } late: { [self] late in
                    // The exchange has happened: its result is good, and the only one that is.
                    let tokens = exchanged.refreshed(by: late.tokens, for: scopes ?? [], at: now())
                    keep(tokens, over: exchanged, of: user, in: slot)
                    try? await save(user, in: slot, for: engine)
                } ended: {
                    inFlight.end()
                }
                let tokens = exchanged.refreshed(by: answer.tokens, for: scopes ?? [], at: now())
                keep(tokens, over: exchanged, of: user, in: slot)
                try await save(user, in: slot, for: engine)
                return try usable(user.snapshot.tokens, after: answer, rejecting: rejected, for: scopes)
            } catch {
                // Before the session is given up, a peer may have brought better tokens.
                guard error.code.endsSession else { throw error }
                switch try? await ExchangeTurn.look(for: user, in: slot, engine) {
                case .here(let tokens) where tokens != used && attempt < Self.attempts:
                    turn.stored = tokens
                    continue
                case .elsewhere(let target) where attempt < Self.attempts:
                    turn.end()
                    turn = try await ExchangeTurn.taken(for: user, in: target, engine, by: deadline)
                    continue
                default:
                    break
                }
                try await AccountUpdate(user: user, engine: engine).reject(used, in: slot, because: error)
            }
        }
        throw AuthError(.internalError, "A refresh ended without a result.")
    }

    /// The tokens after an answer, unless part of it was refused, and the token that is wanted has expired or should be another.
    private func usable(
        _ tokens: UserTokens,
        after answer: RefreshAnswer,
        rejecting rejected: UserTokens,
        for scopes: Set<String>?
    ) throws(AuthError) -> UserTokens {
        guard let refusal = answer.refusal else { return tokens }
        let isOther = tokens.token(for: scopes) != rejected.token(for: scopes)
        // A valid token was rejected by the caller that forced the refresh.
        let isWanted = isOther || !isValid(rejected, for: scopes)
        guard isWanted, isValid(tokens, for: scopes, atLeast: 0) else { throw refusal }
        return tokens
    }

    /// Throws if there is nothing to refresh the tokens with: `userTokenExpired`, which ends the session, once they have expired.
    private func checkRefreshable(_ tokens: UserTokens, of user: User) throws(AuthError) {
        if tokens.refreshToken != nil { return }
        if isValid(tokens) {
            throw AuthError(
                .operationNotAllowed,
                "The session of \(user.uid) has no refresh token, so no new tokens can be had for it.",
                remedy: "Use the tokens that it has until they expire, or sign in again."
            )
        }
        throw AuthError(
            .userTokenExpired,
            "The session of \(user.uid) has expired, and has no refresh token. Sign in again."
        )
    }

    /// Takes new tokens over, which are still to be saved over those that they were got with.
    func keep(_ tokens: UserTokens, over used: UserTokens, of user: User, in slot: Slot) {
        let tokens = tokens.issued(at: now())
        unsaved.keep(tokens, over: used, of: user.id, in: slot)
        user.replaceTokens(with: tokens)
    }

    /// Saves the tokens that were kept of a user of this slot, there or where the user was migrated to.
    func save(_ user: User, in slot: Slot, for engine: AuthEngine) async throws(AuthError) {
        try await engine.onQueue { [self] () throws(AuthError) in
            try engine.withOperation { operation throws(AuthError) in
                guard let entry = unsaved.entry(of: user.id, in: slot) else { return }
                let changed = try operation.revise(user.id, in: .account(user.id, lastSeenIn: slot), entry.write)
                unsaved.settle(entry, in: changed.slot, found: changed.contents.record.account(user.id)?.tokens)
                AccountUpdate(user: user, engine: engine).take(changed.contents, in: changed.slot, operation)
            }
        }
    }
}

extension AuthEngine {
    /// How long a call keeps the turn that may make the present tokens void: twice the identity provider's time, because the call
    /// continues when no caller waits for it any more. Another exchange of the same refresh token meanwhile may look like theft.
    var longestExchange: Duration { options.longestExchange ?? options.identityTimeout * 2 }

    /// How long a call takes that exchanges tokens, the wait for another process's exchange included: the keyring's time and the
    /// identity provider's.
    var exchangeTime: Duration { options.timeout + options.identityTimeout }

    /// What that wait has left of the identity provider's time; a second at least, as an exchange that was begun is to be used.
    func identityTime(within deadline: Deadline) -> Duration {
        min(options.identityTimeout, max(deadline.remaining, .seconds(1)))
    }
}

/// What a refresh brought.
private struct RefreshAnswer: Sendable {
    let tokens: UserTokens
    /// Why part of it was refused.
    let refusal: AuthError?

    /// Throws `userMismatch` if the tokens are of another account than `uid`.
    init(_ tokens: UserTokens, of uid: String, refusal: AuthError? = nil) throws(AuthError) {
        guard tokens.uid == nil || tokens.uid == uid else {
            throw AuthError(
                .userMismatch,
                "The identity provider answered a refresh with the tokens of another user. They were not taken.",
                remedy: "Try again; if it stays so, sign in again."
            )
        }
        var tokens = tokens
        tokens.uid = nil
        (self.tokens, self.refusal) = (tokens, refusal)
    }
}

extension IdentityProvider {
    /// Refreshes tokens; what takes their place is there also where part of the answer was refused.
    fileprivate func exchange(
        _ tokens: UserTokens,
        of uid: String,
        for scopes: Set<String>
    ) async throws(AuthError) -> RefreshAnswer {
        let refreshed: UserTokens
        do throws(AuthError) {
            refreshed = try await refresh(tokens, scopes: scopes)
        } catch {
            guard let tokens = error.details?.tokens else { throw error }
            return try RefreshAnswer(tokens, of: uid, refusal: error.withoutDetails)
        }
        return try RefreshAnswer(refreshed, of: uid)
    }
}

extension AuthErrorCode {
    /// Whether the identity provider no longer accepts the user at all (Firebase signs out for the same four).
    package var endsSession: Bool {
        [.userTokenExpired, .invalidUserToken, .userNotFound, .userDisabled].contains(self)
    }
}
