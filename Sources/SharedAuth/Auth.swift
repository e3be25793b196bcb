internal import Dispatch
internal import SecretService
internal import Synchronization

/// Signs users in and out, and keeps one signed-in user in step with every app of an access group (Firebase: `Auth`).
///
/// Thread-safe. Synchronous calls block until the keyring answers or `Options.timeout` passes, and never ask the person
/// to unlock anything. The first read of `currentUser` waits for the first load; later ones cost a lock.
public final class Auth: Sendable {
    let options: AuthApp.Options
    let identity: AppIdentity
    let slots: UserSlots
    let journal: Journal
    let announcer: Announcer
    let tokens: TokenRefresher
    let observer: SlotObserver?
    /// Runs the blocking parts of async calls, in order.
    let queue = DispatchQueue(label: "SharedAuth.Auth")
    /// Why nothing works, when not even the app id is well-formed.
    let misconfiguration: AuthError?

    private let provider: LazyIdentityProvider?
    private let session: Mutex<Session>
    private let operations = NamedLocks()
    private let owner = Mutex(Owner())

    /// What is known, and what is still to be done about it. Held for moments only, never across a call of the store.
    private struct Session {
        var state: SessionState
        var effects: [SessionState.Effect] = []
        var isPerforming = false
        var isRetired = false
    }

    private struct Owner {
        weak var app: AuthApp?
    }

    init(name: String, options: AuthApp.Options, identity: AppIdentity, misconfiguration: AuthError? = nil) {
        self.options = options
        self.identity = identity
        self.misconfiguration = misconfiguration
        let store = options.store.make()
        slots = UserSlots(store: store, appID: identity.appID, project: options.project, instance: name)
        journal = Journal(
            // What leaves nothing behind writes no file either.
            directory: options.stateDirectory ?? (store.kind == .inMemory ? nil : Journal.defaultDirectory),
            appID: identity.appID,
            project: options.project,
            instance: name
        )
        provider = options.identityProvider.map { source in
            let context = IdentityProviderFactory.Context(
                store: store,
                project: options.project,
                timeout: options.timeout,
                now: options.now
            )
            return LazyIdentityProvider { source.make(context) }
        }
        announcer = Announcer(executor: options.listenerExecutor)
        tokens = TokenRefresher(options: options, queue: queue)
        observer =
            options.observesOtherProcesses ? SlotObserver(slots: slots, timeout: options.timeout, queue: queue) : nil
        let owner = WeakAuth()
        session = Mutex(Session(state: SessionState { User($0, auth: owner.auth, slot: $1) }))
        owner.auth = self
        observer?.look { [weak self] isDue in self?.lookAgain(if: isDue) ?? false }
        if let misconfiguration { session.withLock { _ = $0.state.apply(.failed(misconfiguration)) } }
    }

    /// The app; nil when it is gone.
    public var app: AuthApp? { owner.withLock { $0.app } }

    func attach(_ app: AuthApp) {
        owner.withLock { $0.app = app }
    }

    /// Begins the first load, without waiting for it.
    func beginLoading() {
        queue.async { [weak self] in
            // Whoever comes first loads; a failure is kept as the state.
            try? self?.withOperation { _ in }
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
        if session.withLock({ $0.isRetired }) { throw .deletedApp(identity.appID) }
        let deadline = deadline ?? callDeadline
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
        // It may have been deleted while this call waited.
        if session.withLock({ $0.isRetired }) { throw .deletedApp(identity.appID) }
        let operation = Operation(auth: self, deadline: deadline)
        if sessionState.isLoading { operation.load() } else { observer?.resume() }
        return try body(operation)
    }

    // MARK: Async calls

    // Firebase's own synchronous calls can be used in async code as they are; an overload that differs by `async` alone
    // would break such code, so their async forms have `timeout:`. Our own calls are overloaded plainly, and their
    // synchronous forms are not for async code: they would block a thread of the concurrency pool.

    /// Runs the blocking part of an async call off the caller's thread. Its time counts from here, the wait for the queue
    /// included.
    func onQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        let deadline = callDeadline
        return try await queue.perform { () throws(AuthError) in
            try Self.$asyncDeadline.withValue(deadline) { Result(catching: work) }.get()
        }
    }

    /// The deadline of the async call on whose behalf synchronous code runs; nil: `Options.timeout` from now.
    @TaskLocal static var asyncDeadline: Deadline?

    /// When a synchronous call that begins now must have ended.
    var callDeadline: Deadline { Self.asyncDeadline ?? .after(options.timeout) }

    /// Runs a synchronous call for an async one. The deadline counts from here, and includes the wait for a thread.
    func offload<Value: Sendable>(
        timeout: Duration? = nil,
        _ call: @escaping @Sendable () throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        let deadline = Deadline.after(timeout ?? options.timeout)
        // Not on the Auth's own queue, as whatever waits there may have a later deadline.
        return try await DispatchQueue(label: "SharedAuth.call").perform { () throws(AuthError) in
            try Self.$asyncDeadline.withValue(deadline) { Result(catching: call) }.get()
        }
    }

    /// Waits for the first load, which has the time of a call, whatever the caller's patience.
    func waitForFirstLoad(_ timeout: Duration) async throws(AuthError) {
        if !sessionState.isLoading { return }
        let hasEnded = DispatchSemaphore(value: 0)
        queue.async { [weak self] in
            try? self?.withOperation { _ in }
            hasEnded.signal()
        }
        let deadline = Deadline.after(timeout)
        _ = await DispatchQueue(label: "SharedAuth.call").perform { hasEnded.wait(timeout: deadline.dispatchTime) }
        if !sessionState.isLoading { return }
        throw AuthError(
            .timedOut,
            "The first load of \(identity.appID) did not end within \(timeout); it goes on. Ask again later, or with more "
                + "patience."
        )
    }

    /// Runs work when the operation under way has returned; it has the time of a call.
    func afterReturn(_ work: @escaping @Sendable (Deadline) -> Void) {
        let timeout = options.timeout
        queue.async { work(.after(timeout)) }
    }

    /// Waits until what operations left for after their return is done.
    package func waitUntilIdle() { queue.sync {} }

    /// Reads the slot in use again, because it may have changed, if that is due when nothing else is under way.
    ///
    /// - Returns: whether looking once more later might help, as nothing will tell.
    func lookAgain(if isDue: () -> Bool = { true }) -> Bool {
        do throws(AuthError) {
            try withOperation { operation throws(AuthError) in if isDue() { try operation.look() } }
            return false
        } catch {
            return [.timedOut, .outcomeUnknown, .conflict, .keychainError].contains(error.code)
        }
    }

    /// Empties the own slot, and announces nothing any more.
    func retire() throws(AuthError) {
        try withOperation { operation throws(AuthError) in
            _ = try operation.signOut(nil, from: .own) { _, _ in true }
            session.withLock { $0.isRetired = true }
            observer?.stop()
            announcer.removeAll()
            operation.apply(.failed(.deletedApp(identity.appID)))
        }
    }

    // MARK: The state

    var sessionState: SessionState { session.withLock { $0.state } }

    /// Lets the state learn of an event, and performs what comes of it before it returns: one thread at a time, and in the order
    /// of the events. (What is applied from within an effect is performed by the thread that performs that effect.)
    func apply(_ event: SessionState.Event, by deadline: Deadline) {
        let performs = session.withLock { session in
            session.effects += session.state.apply(event)
            if session.isPerforming || session.effects.isEmpty { return false }
            session.isPerforming = true
            return true
        }
        guard performs else { return }
        while let effect = nextEffect() { perform(effect, by: deadline) }
    }

    private func nextEffect() -> SessionState.Effect? {
        session.withLock { session in
            if session.effects.isEmpty {
                session.isPerforming = false
                return nil
            }
            return session.effects.removeFirst()
        }
    }

    private func perform(_ effect: SessionState.Effect, by deadline: Deadline) {
        switch effect {
        case .update(let user, let account, let slot):
            user.replace(with: account)
            user.attach(to: self, in: slot)
        case .announce(let user): announcer.announce(user)
        case .settle(let user): announcer.note(user)
        case .keepFresh(let user): tokens.keepFresh(user)
        case .noteKeeper(let note, let slot): noteKeeper(note, of: slot, by: deadline)
        }
    }

    /// Waits for the first load, and looks at what is known then; one lock, once it has ended.
    func afterFirstLoad<Value: Sendable>(_ look: (SessionState) -> Value) -> Value {
        let seen = session.withLock { session in session.state.isLoading ? nil : look(session.state) }
        if let seen { return seen }
        try? withOperation { _ in }
        return session.withLock { look($0.state) }
    }

    // MARK: Who keeps the secrets

    /// Reads a slot; that it is empty is believed only of a keyring daemon that had its user, or if there was none.
    ///
    /// - Throws: `providerChanged`, or an error of the keyring.
    func read(_ slot: Slot, by deadline: Deadline) throws(AuthError) -> SlotContents {
        let contents = try slots.read(slot, by: deadline)
        if contents.revision == nil { try checkKeeper(of: slot, by: deadline) }
        return contents
    }

    /// Throws `providerChanged` when the user of a slot is kept by a program that is not the present keyring daemon.
    func checkKeeper(of slot: Slot, by deadline: Deadline) throws(AuthError) {
        let keepers = journal.keepers(of: slot)
        if keepers.isEmpty { return }
        let program: String?
        do throws(RecordStoreError) {
            program = try slots.store.provider(by: deadline)
        } catch {
            throw AuthError(error, in: slot)
        }
        guard let present = program, !keepers.contains(present) else { return }
        let keeper = keepers.joined(separator: " or ")
        throw AuthError(
            .providerChanged,
            "\(slot.description.capitalizedFirst): The user who was signed in is kept by \(keeper), but now \(present) "
                + "provides the secrets, and has nobody there. Start \(keeper) in its place again, or sign in again."
        )
    }

    /// Notes which program keeps the user of a slot: the one that answered, as it is asked for once.
    func noteKeeper(_ note: SessionState.KeeperNote, of slot: Slot, by deadline: Deadline) {
        switch note {
        case .clear: return journal.clearKeepers(of: slot, by: deadline)
        case .addIfNone where !journal.keepers(of: slot).isEmpty: return
        // A process that hears nothing asks once: it is a short one.
        case .add where observer == nil && journal.hasNotedKeeper(of: slot): return
        case .add, .addIfNone: break
        }
        if let program = try? slots.store.provider(by: deadline) {
            journal.noteKeeper(program, of: slot, by: deadline)
        }
    }

    /// The run of the program that keeps the records; nil if that cannot be told.
    func daemon(by deadline: Deadline) -> String? {
        (try? slots.store.daemonRun(by: deadline)) ?? nil
    }

    // MARK: The identity provider

    /// The app's identity provider.
    ///
    /// - Throws: `operationNotAllowed` if there is none.
    func identityProvider() throws(AuthError) -> any IdentityProvider {
        if let misconfiguration { throw misconfiguration }
        if let provider { return provider.value }
        throw AuthError(
            .operationNotAllowed,
            "\(identity.appID) was configured without an identity provider. Set Options.identityProvider, e.g. to .local "
                + "of LocalIdentity."
        )
    }

    /// The identity provider, if it is the one that issued this account.
    ///
    /// - Throws: `issuerMismatch` if it is another's; the user stays signed in.
    func identityProvider(of account: Account) throws(AuthError) -> any IdentityProvider {
        let provider = try identityProvider()
        if account.isIssued(by: provider.issuer) { return provider }
        throw AuthError(
            .issuerMismatch,
            "The account of \(account.uid) was issued by \(account.knownIssuer ?? "somebody else"), and the identity provider "
                + "of \(identity.appID) is \(provider.issuer). Use an app of that issuer, or sign in here."
        )
    }

    /// Whether the app's identity provider is the one that issued this account.
    func issues(_ account: Account) -> Bool {
        provider.map { account.isIssued(by: $0.value.issuer) } ?? false
    }
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

extension Auth {
    private static let unconfigured = Mutex<Auth?>(nil)

    /// The `Auth` of the app that was configured.
    ///
    /// Without `AuthApp.configure`, an app is configured now with the identity of the process (see
    /// `AuthApp.Options.appID`) and no identity provider; if not even that identity is well-formed, every call of the
    /// `Auth` throws `invalidAppIdentifier`.
    public static func auth() -> Auth {
        if let app = AuthApp.app() { return app.auth }
        do throws(AuthError) {
            return try AuthApp.configure(AuthApp.Options()).auth
        } catch {
            // Another thread may have configured meanwhile.
            if let app = AuthApp.app() { return app.auth }
            return unconfigured.withLock { auth in
                let fallback = auth ?? Auth(misconfigured: error)
                auth = fallback
                return fallback
            }
        }
    }

    /// The `Auth` of an app; the same object each time.
    public static func auth(app: AuthApp) -> Auth { app.auth }

    private convenience init(misconfigured error: AuthError) {
        self.init(
            name: AuthApp.defaultName,
            options: AuthApp.Options(store: .inMemory(), observesOtherProcesses: false),
            identity: .unknown,
            misconfiguration: error
        )
    }
}

extension AuthError {
    static func deletedApp(_ appID: String) -> AuthError {
        AuthError(
            .appDeleted,
            "The app \(appID) was deleted with AuthApp.delete(), and this is its Auth. Configure the app again, and use "
                + "the Auth of that."
        )
    }
}
