internal import DesktopSupport
internal import Dispatch
internal import Synchronization

/// The engine behind an `Auth`: owns the state, and runs one operation at a time on it.
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
    /// Why nothing works, when not even the app id is well-formed.
    let misconfiguration: AuthError?

    /// Runs the blocking parts of async calls, and what operations leave for later, in order.
    private let queue = DispatchQueue(label: "SharedAuth.Auth")
    private let operations = NamedLocks()
    private let known: Mutex<Known>
    private let owner = WeakAuth()
    private let users = LiveUsers()
    private let firstLoad = FirstLoad()

    /// The state, and the effects that are still to be performed. Never hold this lock while calling the store.
    private struct Known {
        var state: SessionState
        var effects: [SessionState.Effect] = []
        var isPerforming = false
        var isRetired = false
        /// Counts the events that were applied.
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
            ownIssuer: { identityProvider.issuer }
        )
        journal = Journal(
            // What leaves nothing behind writes no file either.
            directory: options.stateDirectory ?? (store.kind == .inMemory ? nil : Journal.defaultDirectory),
            appID: identity.appID,
            project: options.project,
            instance: name
        )
        reader = SlotReader(slots: slots, journal: journal, observesOtherProcesses: options.observesOtherProcesses)
        federatedSignIn = FederatedSignIn(serverTimeout: options.identityTimeout)
        announcer = Announcer(executor: options.listenerExecutor)
        tokenRules = TokenRules(now: options.now)
        refreshTimer =
            options.refreshesTokens
            ? RefreshTimer(schedule: options.schedule ?? RefreshTimer.schedule(on: queue), now: options.now) : nil
        observer =
            options.observesOtherProcesses
            // On a queue of its own, as async calls do not wait for it.
            ? SlotObserver(slots: slots, timeout: options.timeout, queue: DispatchQueue(label: "SharedAuth.rereads"))
            : nil
        known = Mutex(Known(state: SessionState { [owner, users] in users.user($0, in: $1, auth: owner.auth) }))
        observer?.reread { [weak self] isDue in self?.rereadSlot(if: isDue) ?? false }
        if let misconfiguration { known.withLock { _ = $0.state.apply(.failed(misconfiguration)) } }
    }

    /// Sets the `Auth` that this engine belongs to.
    func attach(to auth: Auth) { owner.auth = auth }

    /// Begins the first load, without waiting for it. It has the time of a call, whichever call begins it; a failure is kept as the state.
    func beginLoading() {
        firstLoad.begin { [weak self] in
            guard let self else { return }
            try? whileAlone(by: .after(options.timeout)) { operation in
                if operation.state.isLoading { operation.load() }
            }
        }
    }

    // MARK: Operations

    /// Runs an operation on the state, once every other has ended and the first load has been tried.
    ///
    /// Its time counts from the call. Nothing in it waits for an identity provider.
    /// - Throws: `timedOut` when another operation does not end in time, and what `body` throws.
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

    /// Reads the slot again after a failure that may pass without a signal, unless the observer does.
    private func readAgainIfUnheard(_ operation: Operation) {
        if mayHavePassedUnheard(operation.state.failure) { try? operation.rereadSlot() }
    }

    /// Whether what kept the slot from being read may be over without a signal, with no observer to read it again.
    private func mayHavePassedUnheard(_ failure: AuthError?) -> Bool {
        guard let code = failure?.code, code.mayPassUnheard else { return false }
        return observer == nil || code.forbidsGroup
    }

    /// Waits until the first load has ended; blocks the thread.
    ///
    /// - Throws: `timedOut` if it does not end in time; it continues.
    private func waitForFirstLoad(by deadline: Deadline) throws(AuthError) {
        if !state.isLoading { return }
        let start = ContinuousClock.now
        beginLoading()
        if firstLoad.wait(by: deadline) || !state.isLoading { return }
        throw AuthError(
            .timedOut,
            "The first load of \(identity.appID) has not ended in time, and continues.",
            remedy: "Try again later, or allow more time.",
            underlying: RecordStoreError(LockWait(.thisProcess, since: start))
        )
    }

    /// Runs `body` once every other operation has ended.
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
        defer { lock.release() }
        // The app may have been deleted while this call waited.
        if known.withLock({ $0.isRetired }) { throw .deletedApp(identity.appID) }
        return try body(Operation(engine: self, deadline: deadline))
    }

    /// What a slot holds, as this process sees it, without an operation: nothing changes.
    func read(_ slot: Slot) throws(AuthError) -> SlotContents {
        unsavedTokens.overlay(try reader.read(slot, by: callDeadline), in: slot)
    }

    /// Runs work after the present operation has returned; it has the time of a call.
    func afterReturn(_ work: @escaping @Sendable (Deadline) -> Void) {
        let timeout = options.timeout
        queue.async { work(.after(timeout)) }
    }

    /// Waits until what operations left for after their return is done, and the slot is read for each change heard before.
    func waitUntilIdle() {
        queue.sync {}
        observer?.waitUntilIdle()
    }

    /// How often a slot is read outside an operation before calls have to wait for the read.
    private static let mostReadsAside = 3

    /// Reads the slot in use again, because it may have changed, if that is still due when no other operation runs.
    ///
    /// No call waits while the slot is read, however slow the keyring is: the operation, which takes over what was found, begins
    /// afterwards. If another has changed the state meanwhile, what was found may be older than that, and the slot is read again;
    /// after some times in an operation, so that no stream of calls keeps the read from ending.
    /// - Returns: whether a later try might succeed, for which no signal will come.
    func rereadSlot(if isDue: () -> Bool = { true }) -> Bool {
        do throws(AuthError) {
            guard try withOperation({ _ in isDue() }) else { return false }
            for _ in 1...Self.mostReadsAside {
                let (slot, before) = try withOperation { operation throws(AuthError) in
                    (try operation.currentSlot(), events)
                }
                let reading = Operation.SlotReading(slot: slot, found: try slots.readMissing(slot, by: callDeadline))
                let isDone = try withOperation { operation throws(AuthError) in
                    if events != before { return false }
                    try operation.take(reading)
                    return true
                }
                if isDone { return false }
            }
            try withOperation { operation throws(AuthError) in try operation.rereadSlot() }
            return false
        } catch {
            return error.code.mayPassUnheard
        }
    }

    private var events: UInt64 { known.withLock(\.events) }

    /// Empties the own slot, and announces nothing any more.
    func retire() throws(AuthError) {
        try withOperation { operation throws(AuthError) in
            _ = try operation.signOut(from: .named(.own)) { _, _ in true }
            known.withLock { $0.isRetired = true }
            observer?.stop()
            announcer.removeAll()
            operation.apply(.failed(.deletedApp(identity.appID)))
        }
    }

    /// Sets the tenant between two operations, so that none sees it change.
    ///
    /// A setter cannot fail: where another operation does not end in time, or none can run any more, the tenant is set at once.
    func chooseTenant(_ id: String?) {
        do throws(AuthError) {
            try withOperation { $0.apply(.choseTenant(id)) }
        } catch {
            apply(.choseTenant(id), by: callDeadline)
        }
    }

    // MARK: Async calls

    /// The deadline of the async call on whose behalf synchronous code runs; nil: `Options.timeout` from now.
    @TaskLocal private static var asyncDeadline: Deadline?

    /// When a synchronous call that begins now must have ended.
    var callDeadline: Deadline { Self.asyncDeadline ?? .after(options.timeout) }

    /// Runs the blocking part of an async call off the caller's thread, in the order of the calls. Its time counts from here,
    /// the wait for the queue included.
    func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        try await perform(on: queue, by: callDeadline, work)
    }

    /// Runs a synchronous call for an async one. Its time counts from here, the wait for a thread included.
    func offload<Value: Sendable>(
        timeout: Duration? = nil,
        _ call: @escaping @Sendable () throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        // Not on the session's own queue, as whatever waits there may have a later deadline.
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

    /// Waits for the first load, and looks at what is known then; one lock, once it has ended.
    func afterFirstLoad<Value: Sendable>(_ look: (SessionState) -> Value) -> Value {
        let seen = known.withLock { known in
            known.state.isLoading || mayHavePassedUnheard(known.state.failure) ? nil : look(known.state)
        }
        if let seen { return seen }
        try? withOperation { _ in }
        return known.withLock { look($0.state) }
    }

    /// Waits for the first load without blocking a thread that runs async code. The load has the time of a call, also when
    /// `timeout` is shorter.
    ///
    /// - Throws: `timedOut` when it does not end within `timeout`; it goes on then.
    func waitForFirstLoad(_ timeout: Duration) async throws(AuthError) {
        if !state.isLoading { return }
        let deadline = Deadline.after(timeout)
        try await DispatchQueue(label: "SharedAuth.call").perform { [self] () throws(AuthError) in
            try waitForFirstLoad(by: deadline)
        }
    }

    /// Waits for the first load, for a call that goes on to use the store.
    ///
    /// - Throws: `timedOut` when the store did not answer that load in time: the call would only wait for as long once more.
    func waitForFirstLoad() async throws(AuthError) {
        guard state.isLoading else { return }
        // The load ends by itself.
        try await waitForFirstLoad(options.timeout * 2)
        if let failure = state.failure, failure.code == .timedOut { throw failure }
    }

    /// Has the presenter show the state, now and after each event.
    func present() { apply(.presented, by: callDeadline) }

    /// Applies an event to the state, and performs its effects before it returns: one thread at a time, and in the order of the
    /// events. (What is applied from within an effect is performed by the thread that performs that effect.)
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
        case .update(let user, let account, let slot):
            user.replace(with: account)
            if let auth = owner.auth { user.attach(to: auth, in: slot) }
        case .announce(let user):
            if let user { users.note(user) }
            announcer.announce(user)
        case .settle(let user):
            if let user { users.note(user) }
            announcer.note(user)
        case .keepFresh(let user): refreshTimer?.follow(user)
        case .noteKeeper(let note, let slot): reader.note(note, of: slot, by: deadline)
        case .present(let state): presenter.show(SessionView(state, users: users, auth: owner.auth))
        }
    }
}

/// One operation on a session's state; ``AuthEngine/withOperation(by:_:)`` is the only way to one.
///
/// No other operation of the same session runs meanwhile, and the first load has been tried.
struct Operation {
    let engine: AuthEngine
    /// When the operation must have ended.
    let deadline: Deadline

    fileprivate init(engine: AuthEngine, deadline: Deadline) {
        self.engine = engine
        self.deadline = deadline
    }

    var slots: UserSlots { engine.slots }
    var journal: Journal { engine.journal }
    var state: SessionState { engine.state }

    /// Applies an event to the state, and performs its effects.
    func apply(_ event: SessionState.Event) { engine.apply(event, by: deadline) }
}

/// The `Auth` that users are made for, which does not keep it.
private final class WeakAuth: Sendable {
    private struct Reference {
        weak var auth: Auth?
    }

    private let reference = Mutex(Reference())

    var auth: Auth? {
        get { reference.withLock { $0.auth } }
        set { reference.withLock { $0.auth = newValue } }
    }
}

extension AuthError {
    fileprivate static func deletedApp(_ appID: String) -> AuthError {
        AuthError(
            .appDeleted,
            "The app \(appID) was deleted with AuthApp.delete(), and this is its Auth. Configure the app again, and use "
                + "the Auth of that."
        )
    }
}
