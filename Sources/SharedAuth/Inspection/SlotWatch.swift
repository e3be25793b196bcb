internal import Dispatch
internal import Synchronization

/// What is heard of a slot that is observed without an `Auth`.
package enum SlotReport: Sendable {
    /// Another user is signed in there, or nobody; the first report, once the slot can be read.
    case authState(User?)
    /// Another ID token is there.
    case idToken(User?)
    /// The slot cannot be read, and never could since it is observed; the state says why, and when that is over, more is
    /// heard.
    case unreadable(AuthState)
}

/// Observes a slot that need not be in use, as tools do: it switches to nothing and writes nothing.
///
/// It reads the slot when it begins and whenever it may have changed, on its queue.
package final class SlotWatch: Sendable {
    private struct Seen {
        /// Nil before the slot could be read.
        var content: Content?
        /// Why it could not be read when that was tried last.
        var failure: AuthErrorCode?

        struct Content {
            let account: AccountID?
            let idToken: String?
        }
    }

    private let slot: Slot
    private let slots: UserSlots
    private let reader: SlotReader
    private let timeout: Duration
    private let observer: SlotObserver
    private let report: @Sendable (SlotReport) -> Void
    private let seen = Mutex(Seen())

    init(
        of slot: Slot,
        in slots: UserSlots,
        reader: SlotReader,
        timeout: Duration,
        on queue: DispatchQueue,
        _ report: @escaping @Sendable (SlotReport) -> Void
    ) {
        self.slot = slot
        self.slots = slots
        self.reader = reader
        self.timeout = timeout
        self.report = report
        observer = SlotObserver(slots: slots, timeout: timeout, queue: queue)
        observer.reread { [weak self] isDue in isDue() ? self?.read() ?? false : false }
        observer.follow(slot)
        // Also reports the present state at once if nothing can be observed yet.
        queue.async { [weak self] in _ = self?.read() }
    }

    deinit { observer.stop() }

    /// Reads the slot, and reports what is new.
    ///
    /// - Returns: whether a later try might succeed, for which no signal will come.
    private func read() -> Bool {
        do throws(AuthError) {
            take(try reader.read(slot, by: .after(timeout)))
            return false
        } catch {
            let state = AuthState(error)
            let isNews = seen.withLock { seen in
                defer { seen.failure = error.code }
                if seen.content != nil || seen.failure == error.code { return false }
                // While a keyring is restarted, there are several reasons.
                if case .damaged = state { return true }
                return seen.failure == nil
            }
            if isNews { report(.unreadable(state)) }
            return error.code.mayPassUnheard
        }
    }

    private func take(_ contents: SlotContents) {
        let account = contents.record.currentAccount
        let (isFirst, isOther, hasOtherToken) = seen.withLock { seen in
            let content = Seen.Content(account: account?.id, idToken: account?.tokens.idToken)
            let former = seen.content
            seen = Seen(content: content)
            return (
                former == nil, former == nil || former?.account != content.account, former?.idToken != content.idToken
            )
        }
        guard isOther || hasOtherToken else { return }
        let user = account.map { User($0, auth: nil, slot: slot) }
        if isOther { report(.authState(user)) }
        if hasOtherToken, !isFirst { report(.idToken(user)) }
    }
}
