internal import Dispatch
internal import Synchronization

/// A report about a slot that is observed without an `Auth`.
package enum SlotReport: Sendable {
    /// The slot has another user, or no user. Also the first report once the slot can be read.
    case authState(User?)
    /// The slot has another ID token.
    case idToken(User?)
    /// The slot cannot be read, and could not be read since the watch began. The state gives the reason. More reports
    /// follow when the slot can be read.
    case unreadable(AuthState)
}

/// Observes a slot that need not be in use, for tools. It does not switch to the slot and writes nothing.
///
/// It reads the slot when it begins and whenever the slot may have changed, on its queue.
package final class SlotWatch: Sendable {
    private struct Seen {
        /// Nil until the slot could be read.
        var content: Content?
        /// The reason why the last attempt to read the slot failed.
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
        // Also reports the present state immediately if nothing can be observed yet.
        queue.async { [weak self] in _ = self?.read() }
    }

    deinit { observer.stop() }

    /// Reads the slot, and reports changes.
    ///
    /// - Returns: true if a later try might succeed without a signal that announces it.
    private func read() -> Bool {
        do throws(AuthError) {
            take(try reader.read(slot, by: .after(timeout)))
            observer.note(isLocked: false)
            return false
        } catch {
            observer.note(isLocked: error.code == .keyringLocked)
            let state = AuthState(error)
            let isNews = seen.withLock { seen in
                defer { seen.failure = error.code }
                if seen.content != nil || seen.failure == error.code { return false }
                // While a keyring restarts, several reasons follow each other.
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
