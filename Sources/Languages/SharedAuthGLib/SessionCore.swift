internal import CSharedAuthGLib
internal import Dispatch
internal import SharedAuth
internal import Synchronization

/// What is behind a `SharedAuth.Session`: the announcement that is being delivered, and the objects of the users.
@safe final class SessionCore: ObjectCore, @unchecked Sendable {
    private let state = Mutex(State())
    /// The main context that it was made on.
    let context = ContextReference()
    /// The `accounts`, which change on that context alone.
    nonisolated(unsafe) private let list = unsafe g_list_store_new(UserCore.type)

    private struct State {
        var settings = SessionSettings()
        var engine: Result<SharedEngine, AuthError>?
        var object: WeakReference?
        /// What the properties show.
        var view = SessionView.unknown
        /// The object of the current user.
        var user: ObjectReference?
        /// What is still to be delivered.
        var waiting: [SessionView] = []
        var isDelivering = false
        /// The last announcement; nil before the first.
        var announced: Announced?
        /// The objects of users that somebody has.
        var objects: [AccountID: WeakReference] = [:]
    }

    private struct Announced: Equatable {
        let account: AccountID?
    }

    /// The session whose call is running, for what a person is shown in it.
    @TaskLocal static var caller: SessionCore?

    /// What a session without an identity provider, or with a wrong app id, says.
    var engine: SharedEngine {
        get throws(AuthError) {
            guard let engine = state.withLock({ $0.engine }) else {
                throw AuthError(.internalError, "The session is not constructed yet.")
            }
            return try engine.get()
        }
    }

    var settings: SessionSettings {
        get { state.withLock { $0.settings } }
        set { state.withLock { $0.settings = newValue } }
    }

    var view: SessionView { state.withLock { $0.view } }

    /// The object of the current user.
    var user: ObjectReference? { state.withLock { $0.user } }

    /// The session's object, if it is still there.
    var object: ObjectReference? { state.withLock { $0.object }?.object(context) }

    var accounts: OpaquePointer? { unsafe shared_auth_glue_list(list) }

    override func get(_ property: guint, into value: UnsafeMutablePointer<GValue>) { unsafe show(property, in: value) }

    override func set(_ property: guint, from value: UnsafePointer<GValue>) { unsafe take(property, from: value) }

    override func isConstructed(as object: UnsafeMutableRawPointer) {
        let weak = unsafe WeakReference(object)
        let settings = state.withLock { state in
            state.object = weak
            return state.settings
        }
        do throws(AuthError) {
            let engine = try SharedEngine.engine(of: settings, context)
            state.withLock { $0.engine = .success(engine) }
            engine.add(self)
        } catch {
            state.withLock { $0.engine = .failure(error) }
            post(SessionView(unavailable: error))
        }
    }

    override func isFinalized() {
        let engine = state.withLock { state in
            defer { (state.engine, state.user, state.waiting) = (nil, nil, []) }
            return state.engine
        }
        unsafe g_object_unref(UnsafeMutableRawPointer(list))
        // The last session ends the engine, which may wait for the bus.
        DispatchQueue.global().async { withExtendedLifetime(engine) {} }
    }
}

/// Delivery.
extension SessionCore {
    /// Delivers what is known, later, on the session's context.
    func post(_ view: SessionView) {
        let isFirst = state.withLock { state in
            state.waiting.append(view)
            return state.waiting.count == 1 && !state.isDelivering
        }
        if isFirst { context.invoke { [weak self] in self?.deliver() } }
    }

    /// Delivers what waits, one after the other. What comes in a main loop that a handler runs waits for that handler.
    private func deliver() {
        guard let object else { return }
        let isFree = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFree else { return }
        while let view = next() { show(view, as: object) }
    }

    private func next() -> SessionView? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.isDelivering = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    private func show(_ view: SessionView, as object: ObjectReference) {
        let accounts = view.accounts.map { show($0) }
        let user = view.user.map { user in
            accounts.first { unsafe core(of: $0.object.pointer, as: UserCore.self).user?.id == user.id } ?? show(user)
        }
        let former = state.withLock { state in
            defer { (state.view, state.user) = (view, user?.object) }
            return (view: state.view, user: state.user)
        }
        showAccounts(accounts.map(\.object))
        if former.view.state.number != view.state.number {
            log("the state is \(view.state.name)")
            notify(object, "state")
        }
        if unsafe former.user?.pointer != user?.object.pointer { notify(object, "user") }
        if former.view.accessGroup != view.accessGroup { notify(object, "access-group") }
        if former.view.failure?.description != view.failure?.description { notify(object, "error") }
        let others = user.map { user in accounts.contains { $0.object === user.object } ? [] : [user] } ?? []
        for shown in accounts + others {
            for property in shown.changes { notify(shown.object, property) }
        }
        announce(view, user?.object, as: object)
    }

    private func announce(_ view: SessionView, _ user: ObjectReference?, as object: ObjectReference) {
        switch view.state {
        case .signedIn, .signedOut: break
        case .unknown, .locked, .unavailable, .damaged: return
        }
        let news = Announced(account: view.user?.id)
        let isNew = state.withLock { state in
            defer { state.announced = news }
            return state.announced != news
        }
        guard isNew else { return }
        log("it is announced \(user == nil ? "that nobody is signed in" : "who is signed in")")
        unsafe shared_auth_glue_emit(object.pointer, SessionSignal.shared.announced, user?.pointer)
    }

    private func notify(_ object: ObjectReference, _ property: String) {
        unsafe g_object_notify(object.pointer.assumingMemoryBound(to: GObject.self), property)
    }

    private func showAccounts(_ users: [ObjectReference]) {
        let count = unsafe g_list_model_get_n_items(accounts)
        let present = (0..<count).map { index in
            let item = unsafe g_list_model_get_item(accounts, index)!
            return unsafe ObjectReference(taking: item, context)
        }
        guard unsafe present.map(\.pointer) != users.map(\.pointer) else { return }
        var items: [gpointer?] = unsafe users.map { unsafe $0.pointer }
        unsafe g_list_store_splice(list, 0, count, &items, guint(items.count))
    }
}

/// The objects of users.
extension SessionCore {
    /// An object that shows a user now, and which of its properties that has changed.
    private struct Shown {
        let object: ObjectReference
        let changes: [String]
    }

    private func show(_ user: SessionView.ShownUser) -> Shown {
        let (object, isNew) = object(of: user)
        if isNew { return Shown(object: object, changes: []) }
        return Shown(object: object, changes: unsafe core(of: object.pointer, as: UserCore.self).show(user))
    }

    /// The object of a user of the slot in use, the same one while somebody has it.
    func object(of user: SessionView.ShownUser) -> (object: ObjectReference, isNew: Bool) {
        while true {
            let known = state.withLock { $0.objects[user.id] }
            // No object is given up under the lock: a language may have something to run then.
            if let object = known?.object(context) { return (object, false) }
            let object = UserCore.object(of: user, context)
            let weak = unsafe WeakReference(object.pointer)
            let isFirst = state.withLock { state in
                guard state.objects[user.id] === known else { return false }
                state.objects[user.id] = weak
                return true
            }
            if isFirst {
                forgetUsers()
                return (object, true)
            }
        }
    }

    /// Forgets users of whom nobody has the object any more.
    private func forgetUsers() {
        let gone = state.withLock { $0.objects }.filter { $0.value.object(context) == nil }
        state.withLock { state in
            for (id, weak) in gone where state.objects[id] === weak { state.objects[id] = nil }
        }
    }
}

extension AuthState {
    /// The state in words.
    fileprivate var name: String {
        switch self {
        case .unknown: "unknown"
        case .signedIn: "signed in"
        case .signedOut: "signed out"
        case .locked: "locked"
        case .unavailable: "unavailable"
        case .damaged: "damaged"
        }
    }
}
