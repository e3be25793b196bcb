internal import Dispatch
internal import Synchronization

/// The turn to exchange the tokens of a slot's users. One process at a time has it.
struct ExchangeTurn {
    private let hold: LockShare

    /// Indicates whether another process may have the turn by now.
    var isLost: Bool { hold.isLost }

    /// Ends this share of the turn; the turn ends with its last share. A second call does nothing.
    func end() { hold.end() }

    /// Returns another share of the turn, for a call that may last longer than its caller waits.
    ///
    /// - Parameter time: the time after which this share ends by itself.
    func shared(atMost time: Duration) -> ExchangeTurn {
        ExchangeTurn(hold: hold.another(atMost: time))
    }
}

/// A lock that is released with its last share.
private final class HeldLock: Sendable {
    private let lock: any RecordLock

    init(_ lock: any RecordLock) { self.lock = lock }

    var isLost: Bool { lock.isLost }

    deinit { lock.release() }
}

/// One holder's share of a lock that several hold together.
private final class LockShare: Sendable {
    private let held: Mutex<HeldLock?>
    private let limit = TimeLimit()

    init(_ lock: HeldLock?) { held = Mutex(lock) }

    func end() {
        limit.end()
        var ended: HeldLock?
        held.withLock { swap(&$0, &ended) }
    }

    var isLost: Bool { held.withLock { $0?.isLost ?? false } }

    func another(atMost time: Duration) -> LockShare {
        let another = LockShare(held.withLock { $0 })
        another.limit.begin(after: time) { [weak another] in another?.end() }
        return another
    }
}

extension ExchangeTurn {
    /// Waits for the turn, and finds the user in the slot. The wait may have to outlast another process's exchange with
    /// the identity provider. A process that is stopped, by Ctrl-Z or a debugger, keeps its turn: it may have begun to
    /// exchange the tokens.
    ///
    /// - Throws: `timedOut` at the deadline, naming the process that has the turn; `operationNotAllowed` if another
    ///   slot has the session; or an error of the keyring.
    static func taken(
        for user: User,
        in slot: Slot,
        _ engine: AuthEngine,
        by deadline: Deadline
    ) async throws(AuthError) -> (ExchangeTurn, TokenExchange.Finding) {
        let (lock, seen) = try await lock(slot, engine, by: deadline)
        do throws(AuthError) {
            let finding = try await engine.find(user, in: slot, having: seen)
            return (ExchangeTurn(hold: LockShare(HeldLock(lock))), finding)
        } catch {
            lock.release()
            throw error
        }
    }

    private static func lock(
        _ slot: Slot,
        _ engine: AuthEngine,
        by deadline: Deadline
    ) async throws(AuthError) -> (any RecordLock, seen: SlotContents?) {
        let (store, key) = (engine.slots.store, try engine.slots.key(slot))
        // Not on the engine's queue, because the wait may be long, nor on a shared queue, which is slow to add threads.
        let outcome = await DispatchQueue(label: "SharedAuth.refresh").perform {
            Result { () throws(RecordStoreError) in
                try store.acquire("refresh", for: key, by: deadline) {
                    try? engine.slots.read(slot, by: .after(engine.options.timeout))
                }
            }
        }
        do throws(RecordStoreError) {
            let (lock, seen) = try outcome.get()
            return (lock, seen)
        } catch {
            guard let wait = error.lockWait else { throw AuthError(error, in: slot) }
            throw AuthError(
                .timedOut,
                "\(slot.description.capitalizedFirst): \(wait.sentence(on: "its exchange of the tokens")).",
                remedy: wait.remedy,
                underlying: error
            )
        }
    }
}

extension AuthEngine {
    /// Finds a user in a slot, or in the slot that the user was moved to from there.
    ///
    /// - Parameter seen: recent contents of the slot, if known. They are used if the state is based on them.
    /// - Throws: `operationNotAllowed` if another slot has the session; an error of the keyring.
    func find(
        _ user: User,
        in slot: Slot,
        having seen: SlotContents? = nil
    ) async throws(AuthError) -> TokenExchange.Finding {
        try await onQueue { [self] () throws(AuthError) in
            try withOperation { operation throws(AuthError) in
                let contents = if let seen, operation.knows(seen, of: slot) { seen } else { try operation.read(slot) }
                if contents.record.account(user.id) == nil {
                    let moved = operation.destination(
                        of: user.id,
                        from: SlotInUse(slot, lastMove: operation.state.used?.lastMove)
                    )
                    if operation.state.slot == slot { operation.take(contents, in: slot) }
                    let other = if let moved { moved.slot } else { try operation.slotInUse().slot }
                    if other != slot { try identity.checkStoredChoice(of: other, in: journal.path) }
                    if other != slot, try operation.read(other).record.account(user.id) != nil {
                        unsavedTokens.moveMissing(from: slot, holding: contents.record, to: other)
                        return .elsewhere(other)
                    }
                    try checkHeldNowhere(user)
                }
                return operation.take(contents, in: slot, for: user).map { .here($0.tokens) } ?? .nowhere
            }
        }
    }

    /// Checks, for a user who is not in the slot that the object names, that no other slot has the session. Its tokens
    /// are exchanged only in that slot's turn.
    ///
    /// - Throws: `operationNotAllowed` if another slot has it.
    func checkHeldNowhere(_ user: User) throws(AuthError) {
        let account = user.snapshot
        guard let token = account.tokens.refreshToken,
            try storedAccounts().contains(where: { $0.uid == account.uid && $0.tokens.refreshToken == token })
        else { return }
        throw AuthError(
            .operationNotAllowed,
            "The session of \(account.uid) is now stored in another slot and is refreshed there.",
            remedy: "Get the user of that slot with getStoredUser(forAccessGroup:), or use auth.currentUser."
        )
    }
}
