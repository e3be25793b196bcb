internal import Synchronization

extension Auth {
    /// The error that keeps changes from being saved; nil if none is known. Reading it never waits.
    ///
    /// A keyring that is locked while a user is signed in leaves ``state`` as it is, because the user is still known,
    /// and this is `keyringLocked` then: offer ``unlock(timeout:)``. Other codes are `keyringUnavailable`,
    /// `accessDenied` and `storeFull`. It becomes nil with the next read or write that succeeds.
    public var saveFailure: AuthError? { engine.now { $0.saveFailure } }

    /// The values of ``saveFailure``: now, and after each change.
    ///
    /// Each access starts a sequence. It needs no listener executor, may leave out values that are outdated by the time
    /// they are read, and ends when its task is cancelled, or the `Auth` is deallocated.
    public var saveFailureChanges: AsyncStream<AuthError?> { engine.saveFailures.stream() }
}

extension AuthErrorCode {
    /// Indicates whether the store says that nothing can be saved now.
    var keepsFromSaving: Bool {
        [.keyringLocked, .keyringUnavailable, .accessDenied, .storeFull].contains(self)
    }

    /// Indicates whether a slot has this condition until it changes.
    fileprivate var isOfSlot: Bool {
        keepsFromSaving || [.keyringChanged, .recordDamaged, .recordVersionUnsupported].contains(self)
    }
}

extension Operation {
    /// Notes an error that keeps changes of the slot in use from being saved.
    func noteSaveFailure(_ error: AuthError, in slot: Slot) {
        if slot == state.slot, error.code.keepsFromSaving { apply(.notedSaveFailure(error)) }
    }

    /// Notes why a slot could not be read again, if it is still the one in use; nil if the choice of it could not be
    /// read. While no user is known, it is the state from now on.
    func noteFailedRead(_ error: AuthError, of slot: Slot?) {
        guard slot == nil || slot == state.slot else { return }
        if let known = state.failure, known.code != error.code, error.code.isOfSlot {
            apply(.failed(error))
        } else if let slot = state.slot {
            noteSaveFailure(error, in: slot)
        }
    }
}

/// The sequences of ``Auth/saveFailureChanges``.
final class SaveFailures: Sendable {
    private struct State {
        var latest: AuthError?
        var listeners: [UInt64: AsyncStream<AuthError?>.Continuation] = [:]
        var count: UInt64 = 0
    }

    private let state = Mutex(State())

    deinit {
        for listener in state.withLock({ $0.listeners.values }) { listener.finish() }
    }

    /// Returns a sequence that begins with the latest value.
    func stream() -> AsyncStream<AuthError?> {
        let (stream, continuation) = AsyncStream<AuthError?>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.count += 1
            state.listeners[state.count] = continuation
            continuation.yield(state.latest)
            return state.count
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    /// Passes a new value to all sequences.
    func tell(_ failure: AuthError?) {
        state.withLock { state in
            state.latest = failure
            for listener in state.listeners.values { listener.yield(failure) }
        }
    }
}
