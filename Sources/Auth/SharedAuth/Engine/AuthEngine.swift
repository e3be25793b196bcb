internal import DesktopSupport
internal import Dispatch
internal import Synchronization

/// Owns the state behind an `Auth`, and runs one operation at a time on it.
///
/// All state changes go through `withOperation`, except the tenant's when no operation can start in time. Thread-safe.
final class AuthEngine: Sendable {
    let options: AuthApp.Options
    let identity: AppIdentity
    let slots: UserSlots
    let journal: Journal
    let reader: SlotReader
    let announcer: Announcer
    let tokenRules: TokenRules
    let unsavedTokens = UnsavedTokens()
    let refreshes = RefreshCoalescer()
    let refreshTimer: RefreshTimer?
    let identityProvider: IdentityAccess
    let federatedSignIn: FederatedSignIn
    let observer: SlotObserver?
    let presenter = Presenter()
    let saveFailures = SaveFailures()
    /// The value that the app has set; nil if it has set none.
    let requestedSharing = Mutex<Bool?>(nil)
    /// The error that every operation throws if the app id is malformed.
    let misconfiguration: AuthError?

    /// Runs the blocking parts of async calls, and work that operations defer, in order.
    private let queue = DispatchQueue(label: "SharedAuth.Auth")
    private let operations = NamedLocks()
    private let known: Mutex<Known>
    private let owner = WeakAuth()
    private let users = LiveUsers()
    private let firstLoad = FirstLoad()

    /// The state and its pending effects. Never hold this lock while calling the store.
    private struct Known {
        var state: SessionState
        var effects: [SessionState.Effect] = []
        var isPerforming = false
        var isRetired = false
        /// The number of events applied so far.
        var events: UInt64 = 0
    }

    init(name: String, options: AuthApp.Options, identity: AppIdentity, misconfiguration: AuthError?) {
        self.options = options
        self.identity = identity
        self.misconfiguration = misconfiguration
        let store = options.store.make()
        let identityProvider = IdentityAccess(options, store: store, appID: identity.appID, misconfiguration)
        self.identityProvider = identityProvider
        slots = UserSlots(
            store: store,
            appID: identity.appID,
            project: options.project,
            instance: name,
            machine: options.machine,
            ownIssuer: { identityProvider.issuer }
        )
        journal = Journal(
            // An in-memory store leaves nothing behind, so its journal writes no file.
            in: (options.stateDirectory ?? (store.kind == .inMemory ? nil : Journal.defaultDirectory)).map {
                Folder($0)
            },
            appID: identity.appID,
            project: options.project,
            instance: name,
            machine: options.machine,
            steps: options.fileSteps
        )
        reader = SlotReader(slots: slots, journal: journal, observesOtherProcesses: options.observesOtherProcesses)
        federatedSignIn = FederatedSignIn(serverTimeout: options.identityTimeout)
        announcer = Announcer(executor: options.listenerExecutor)
        tokenRules = TokenRules(now: options.now)
        refreshTimer =
            options.refreshesTokens
            ? RefreshTimer(schedule: options.schedule ?? RefreshTimer.live, tokenRules) : nil
        observer =
            options.observesOtherProcesses
            // A separate queue, so that async calls do not wait for it.
            ? SlotObserver(slots: slots, timeout: options.timeout, queue: DispatchQueue(label: "SharedAuth.rereads"))
            : nil
        known = Mutex(Known(state: SessionState { [owner, users] in users.user($0, in: $1, auth: owner.auth) }))
        observer?.reread { [weak self] isDue in self?.rereadSlot(if: isDue) ?? false }
        if let misconfiguration { known.withLock { _ = $0.state.apply(.failed(misconfiguration)) } }
    }

    /// Sets the `Auth` that this engine belongs to.
    func attach(to auth: Auth) { owner.auth = auth }

    /// Begins the first load without waiting for it. The load has the time limit of one call, whichever call begins it.
    /// A failure becomes the state.
    func beginLoading() {
        firstLoad.begin { [weak self] in
            guard let self else { return }
            try? whileAlone(by: .after(options.timeout)) { operation in
                if operation.state.isLoading { operation.load() }
            }
        }
    }

    // MARK: Operations

    /// Runs an operation on the state after all others have ended and the first load was tried.
    ///
    /// Blocks the thread. The time limit counts from the call. `body` must not wait for an identity provider.
    /// - Throws: `timedOut` if the first load or another operation does not end in time; `appDeleted` after
    ///   `AuthApp.delete()`; the error of a malformed app id; any error of `body`.
    @discardableResult
    func withOperation<Value>(
        by deadline: Deadline? = nil,
        _ body: (Operation) throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        if let misconfiguration { throw misconfiguration }
        let deadline = deadline ?? callDeadline
        try waitForFirstLoad(by: deadline)
        return try whileAlone(by: deadline) { operation throws(AuthError) in
            observer?.resume()
            readAgainIfUnheard(operation)
            return try body(operation)
        }
    }

    /// Reads the slot again if the last failure may have ended without a signal, and no watch tells of a change.
    private func readAgainIfUnheard(_ operation: Operation) {
        let state = operation.state
        guard let failure = state.failure, state.mayEndUnheard(failure) else { return }
        if observer == nil || state.watched == nil { try? operation.rereadSlot() }
    }

    /// Waits until the first load has ended. Blocks the thread.
    ///
    /// - Throws: `timedOut` if the load does not end in time; it continues.
    func waitForFirstLoad(by deadline: Deadline) throws(AuthError) {
        if !state.isLoading { return }
        let start = ContinuousClock.now
        beginLoading()
        if firstLoad.wait(by: deadline) || !state.isLoading { return }
        throw AuthError(
            .timedOut,
            "The first load of \(identity.appID) did not end in time and continues.",
            remedy: "Try again later, or allow more time.",
            underlying: RecordStoreError(LockWait(.thisProcess, since: start))
        )
    }

    /// Runs `body` after all other operations have ended.
    private func whileAlone<Value>(
        by deadline: Deadline,
        _ body: (Operation) throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        if known.withLock({ $0.isRetired }) { throw .deletedApp(identity.appID) }
        let lock: NamedLock
        do {
            lock = try operations.acquire("operation", by: deadline)
        } catch {
            throw AuthError(
                .timedOut,
                "Another call on this Auth of \(identity.appID) did not end in time; nothing was changed.",
                underlying: error
            )
        }
        defer {
            observer?.endEarlyWatch()
            lock.release()
        }
        // The app may have been deleted while this call waited.
        if known.withLock({ $0.isRetired }) { throw .deletedApp(identity.appID) }
        return try body(Operation(engine: self, deadline: deadline))
    }

    /// Returns the contents of a slot as this process sees them. Runs no operation and changes nothing.
    func read(_ slot: Slot) throws(AuthError) -> SlotContents {
        unsavedTokens.overlay(try reader.read(slot, by: callDeadline), in: slot)
    }

    /// Runs work after the present operation has returned, with the time limit of one call.
    func afterReturn(_ work: @escaping @Sendable (Deadline) -> Void) {
        let timeout = options.timeout
        queue.async { work(.after(timeout)) }
    }

    /// Waits until deferred work is done, and until the slot was read for every change reported so far.
    func waitUntilIdle() {
        queue.sync {}
        observer?.waitUntilIdle()
    }

    /// The number of events applied so far.
    var events: UInt64 { known.withLock(\.events) }

    /// Empties the app's own slot and stops all announcements.
    func retire() throws(AuthError) {
        try withOperation { operation throws(AuthError) in
            _ = try operation.signOut(from: .named(.own)) { _, _ in true }
            known.withLock { $0.isRetired = true }
            announcer.removeAll()
            // The state may begin a watch of its slot; then the observer stops.
            operation.apply(.failed(.deletedApp(identity.appID)))
            observer?.stop()
        }
    }

    /// Sets the tenant between two operations, so that no operation sees it change.
    ///
    /// A setter cannot throw: if another operation does not end in time, or operations can no longer run, the tenant is
    /// set immediately.
    func chooseTenant(_ id: String?) {
        do throws(AuthError) {
            try withOperation { $0.apply(.choseTenant(id)) }
        } catch {
            apply(.choseTenant(id), by: callDeadline)
        }
    }

    // MARK: Async calls

    /// The deadline of the async call that synchronous code runs for; nil means `Options.timeout` from now.
    @TaskLocal private static var asyncDeadline: Deadline?

    /// The deadline of a synchronous call that begins now.
    var callDeadline: Deadline { Self.asyncDeadline ?? .after(options.timeout) }

    /// Runs the blocking part of an async call off the caller's thread, in the order of the calls. Its time counts from
    /// here and includes the wait for the queue.
    func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        try await perform(on: queue, by: callDeadline, work)
    }

    /// Runs a synchronous call for an async one. Its time counts from here and includes the wait for a thread.
    func offload<Value: Sendable>(
        timeout: Duration? = nil,
        _ call: @escaping @Sendable () throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        // Not on the engine's own queue, where waiting work may have a later deadline.
        try await perform(on: DispatchQueue(label: "SharedAuth.call"), by: .after(timeout ?? options.timeout), call)
    }

    private func perform<Value: Sendable>(
        on queue: DispatchQueue,
        by deadline: Deadline,
        _ work: @escaping @Sendable () throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        try await queue.perform { () throws(AuthError) in
            try Self.$asyncDeadline.withValue(deadline) { Result(catching: work) }.get()
        }
    }

    // MARK: The state

    var state: SessionState { known.withLock { $0.state } }

    /// Passes the state to `look`. Blocks until the first load has ended; afterwards this takes one lock.
    ///
    /// The state is passed in place, because a copy retains all that it refers to; `look` must not change it.
    @inline(__always)
    func afterFirstLoad<Value: Sendable>(_ look: (inout SessionState) -> Value) -> Value {
        if let seen = known.withLock({ $0.state.isLoading ? nil : look(&$0.state) }) { return seen }
        endFirstLoad()
        return now(look)
    }

    @inline(never)
    private func endFirstLoad() { try? withOperation { _ in } }

    /// Passes the state to `look` without waiting, in place as above.
    @inline(__always)
    func now<Value: Sendable>(_ look: (inout SessionState) -> Value) -> Value { known.withLock { look(&$0.state) } }

    /// Waits for the first load without blocking a thread that runs async code. The load has the time limit of one
    /// call, even if `timeout` is shorter.
    ///
    /// - Throws: `timedOut` if the load does not end within `timeout`; it continues.
    func waitForFirstLoad(_ timeout: Duration) async throws(AuthError) {
        if !state.isLoading { return }
        let deadline = Deadline.after(timeout)
        try await DispatchQueue(label: "SharedAuth.call").perform { [self] () throws(AuthError) in
            try waitForFirstLoad(by: deadline)
        }
    }

    /// Waits for the first load on behalf of a call that uses the store afterwards.
    ///
    /// - Throws: `timedOut` if the store did not respond to that load in time: the call would only wait as long again.
    func waitForFirstLoad() async throws(AuthError) {
        guard state.isLoading else { return }
        // The load ends within its own time limit.
        try await waitForFirstLoad(options.timeout * 2)
        if let failure = state.failure, failure.code == .timedOut { throw failure }
    }

    /// Passes the state to the presenter, now and after each event.
    func present() { apply(.presented, by: callDeadline) }

    /// Applies an event to the state and performs its effects before it returns, one thread at a time and in the order
    /// of the events. (The effects of an event that is applied within an effect are performed by the thread that
    /// performs that effect.)
    fileprivate func apply(_ event: SessionState.Event, by deadline: Deadline) {
        let performs = known.withLock { known in
            known.events += 1
            known.effects += known.state.apply(event)
            if known.isPerforming || known.effects.isEmpty { return false }
            known.isPerforming = true
            return true
        }
        guard performs else { return }
        while let effect = nextEffect() { perform(effect, by: deadline) }
    }

    private func nextEffect() -> SessionState.Effect? {
        known.withLock { known in
            if known.effects.isEmpty {
                known.isPerforming = false
                return nil
            }
            return known.effects.removeFirst()
        }
    }

    private func perform(_ effect: SessionState.Effect, by deadline: Deadline) {
        switch effect {
        case .watch(let slot): observer?.follow(slot)
        case .readLater: observer?.rereadLater()
        case .update(let user, let account, let slot):
            user.replace(with: account)
            if let auth = owner.auth { user.attach(to: auth, in: slot) }
        case .announce(let user):
            users.note(user)
            announcer.announce(user)
        case .settle(let user):
            users.note(user)
            announcer.note(user)
        case .unsettle:
            users.note(nil)
            announcer.unsettle()
        case .keepFresh(let user): refreshTimer?.follow(user)
        case .noteKeeper(let note, let slot, let collection):
            reader.note(note, of: slot, in: collection, by: deadline)
        case .tellSaveFailure(let error):
            observer?.note(isLocked: error?.code == .keyringLocked)
            saveFailures.tell(error)
        case .present(let state): presenter.show(SessionView(state, users: users, auth: owner.auth))
        }
    }
}

/// One operation on an engine's state. Only ``AuthEngine/withOperation(by:_:)`` creates one.
///
/// No other operation of the same engine runs at the same time, and the first load was tried.
struct Operation {
    let engine: AuthEngine
    /// The time by which the operation must have ended.
    let deadline: Deadline

    fileprivate init(engine: AuthEngine, deadline: Deadline) {
        self.engine = engine
        self.deadline = deadline
    }

    var slots: UserSlots { engine.slots }
    var journal: Journal { engine.journal }
    var state: SessionState { engine.state }

    /// Applies an event to the state and performs its effects.
    func apply(_ event: SessionState.Event) { engine.apply(event, by: deadline) }
}

extension AuthError {
    fileprivate static func deletedApp(_ appID: String) -> AuthError {
        AuthError(
            .appDeleted,
            "The app \(appID) was deleted with AuthApp.delete(), so its Auth no longer works. Configure the app again, "
                + "and use the new Auth."
        )
    }
}
