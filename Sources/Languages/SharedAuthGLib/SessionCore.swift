internal import CSharedAuthGLib
internal import Dispatch
internal import SharedAuth
internal import Synchronization

/// The core of a `SharedAuthSession`: delivers the views of its engine in a main context, and owns the user objects.
@safe final class SessionCore: ObjectCore, @unchecked Sendable {
    private let state = Mutex(State())
    /// The thread-default main context in which the session was created.
    let context = ContextReference()
    /// The property `accounts`, which changes only in `context`.
    nonisolated(unsafe) private let list = unsafe g_list_store_new(UserCore.type)

    private struct State {
        var settings = SessionSettings()
        var engine: Result<SharedEngine, AuthError>?
        var object: WeakReference?
        /// The view whose values the properties have.
        var view = SessionView.unknown
        /// The object of the current user.
        var user: ObjectReference?
        /// The views that are not delivered yet.
        var pending: [SessionView] = []
        var isDelivering = false
        /// The last announcement; nil before the first.
        var announced: Announced?
        /// The user objects that the app or the session references.
        var objects: [AccountID: WeakReference] = [:]

        /// The access group in use: the one of the settings until the slot in use is known, and if there is no engine.
        var accessGroup: String? {
            guard case .success = engine, !view.isUnknown else { return settings.accessGroup }
            return view.accessGroup
        }
    }

    private struct Announced: Equatable {
        let account: AccountID?
    }

    /// The session whose call is running in this task. It emits the signals that the call requires.
    @TaskLocal static var caller: SessionCore?

    /// The engine.
    ///
    /// - Throws: The error that made the session unavailable, such as `invalidAppIdentifier` or `alreadyConfigured`;
    ///   `internalError` before the session is constructed.
    var engine: SharedEngine {
        get throws(AuthError) {
            guard let engine = state.withLock({ $0.engine }) else {
                throw AuthError(.internalError, "The session was used before it was constructed.")
            }
            return try engine.get()
        }
    }

    var settings: SessionSettings {
        get { state.withLock { $0.settings } }
        set { state.withLock { $0.settings = newValue } }
    }

    var view: SessionView { state.withLock { $0.view } }

    /// The access group in use.
    var accessGroup: String? { state.withLock { $0.accessGroup } }

    /// The object of the current user.
    var user: ObjectReference? { state.withLock { $0.user } }

    /// The session's GObject; nil if it was finalized.
    var object: ObjectReference? { state.withLock { $0.object }?.object(context) }

    var accounts: OpaquePointer? { unsafe shared_auth_glue_list(list) }

    override func getProperty(_ property: guint, into value: UnsafeMutablePointer<GValue>) {
        unsafe readProperty(property, into: value)
    }

    override func setProperty(_ property: guint, from value: UnsafePointer<GValue>) {
        unsafe storeProperty(property, from: value)
    }

    override func constructed(_ object: UnsafeMutableRawPointer) {
        let weak = unsafe WeakReference(object)
        let settings = state.withLock { state in
            state.object = weak
            return state.settings
        }
        do throws(AuthError) {
            let engine = try SharedEngine.join(settings, context)
            state.withLock { $0.engine = .success(engine) }
            engine.add(self)
        } catch {
            state.withLock { $0.engine = .failure(error) }
            post(SessionView(unavailable: error))
        }
    }

    override func finalized() {
        let engine = state.withLock { state in
            defer { (state.engine, state.user, state.pending) = (nil, nil, []) }
            return state.engine
        }
        unsafe g_object_unref(UnsafeMutableRawPointer(list))
        guard case .success(let engine) = engine else { return }
        engine.leave()
        // Releasing the last reference may wait for the message bus.
        DispatchQueue.global().async { withExtendedLifetime(engine) {} }
    }
}

/// Delivery of views.
extension SessionCore {
    /// Schedules the delivery of a view in the session's context.
    func post(_ view: SessionView) {
        let isFirst = state.withLock { state in
            state.pending.append(view)
            return state.pending.count == 1 && !state.isDelivering
        }
        if isFirst { context.invoke { [weak self] in self?.deliver() } }
    }

    /// Delivers the pending views in order. While a handler runs a nested main loop, later views wait until the handler
    /// returns.
    private func deliver() {
        guard let object else { return }
        let isFree = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFree else { return }
        while let view = next() { apply(view, to: object) }
    }

    private func next() -> SessionView? {
        state.withLock { state in
            if state.pending.isEmpty {
                state.isDelivering = false
                return nil
            }
            return state.pending.removeFirst()
        }
    }

    /// Sets all properties to the values of a view, then notifies, then announces the user.
    private func apply(_ view: SessionView, to object: ObjectReference) {
        let accounts = view.accounts.map { update($0) }
        let user = view.user.map { user in
            accounts.first { unsafe core(of: $0.object.pointer, as: UserCore.self).user?.id == user.id } ?? update(user)
        }
        let previous = state.withLock { state in
            let previous = (view: state.view, user: state.user, accessGroup: state.accessGroup)
            (state.view, state.user) = (view, user?.object)
            return previous
        }
        replaceAccounts(accounts.map(\.object))
        if previous.view.state.number != view.state.number {
            log("the state is \(view.state.name)")
            notify(object, "state")
        }
        if unsafe previous.user?.pointer != user?.object.pointer { notify(object, "user") }
        if previous.accessGroup != accessGroup { notify(object, "access-group") }
        if previous.view.failure?.description != view.failure?.description { notify(object, "error") }
        if previous.view.saveFailure?.description != view.saveFailure?.description { notify(object, "save-error") }
        let others = user.map { user in accounts.contains { $0.object === user.object } ? [] : [user] } ?? []
        for updated in accounts + others {
            for property in updated.changes { notify(updated.object, property) }
        }
        announce(view, user?.object, by: object)
    }

    /// Emits `announced` if the user is known and is not the last announced one.
    private func announce(_ view: SessionView, _ user: ObjectReference?, by object: ObjectReference) {
        switch view.state {
        case .signedIn, .signedOut: break
        case .unknown, .locked, .unavailable, .damaged: return
        }
        let announcement = Announced(account: view.user?.id)
        let isNew = state.withLock { state in
            defer { state.announced = announcement }
            return state.announced != announcement
        }
        guard isNew else { return }
        log("announcing \(user == nil ? "that no user is signed in" : "the signed-in user")")
        unsafe shared_auth_glue_emit(object.pointer, SessionSignals.shared.announced, user?.pointer)
    }

    private func notify(_ object: ObjectReference, _ property: String) {
        unsafe g_object_notify(object.pointer.assumingMemoryBound(to: GObject.self), property)
    }

    private func replaceAccounts(_ users: [ObjectReference]) {
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
    /// A user object, and the names of the properties that its last update changed.
    private struct UpdatedUser {
        let object: ObjectReference
        let changes: [String]
    }

    private func update(_ user: SessionView.ShownUser) -> UpdatedUser {
        let (object, isNew) = object(of: user)
        if isNew { return UpdatedUser(object: object, changes: []) }
        return UpdatedUser(object: object, changes: unsafe core(of: object.pointer, as: UserCore.self).update(to: user))
    }

    /// Returns the object of a user of the slot in use; the same one as long as it is referenced.
    func object(of user: SessionView.ShownUser) -> (object: ObjectReference, isNew: Bool) {
        while true {
            let known = state.withLock { $0.objects[user.id] }
            // Objects are released outside the lock, because a release may run code of the app's language.
            if let object = known?.object(context) { return (object, false) }
            let object = UserCore.object(of: user, context)
            let weak = unsafe WeakReference(object.pointer)
            let isFirst = state.withLock { state in
                guard state.objects[user.id] === known else { return false }
                state.objects[user.id] = weak
                return true
            }
            if isFirst {
                removeFinalizedUsers()
                return (object, true)
            }
        }
    }

    /// Removes the entries of user objects that were finalized.
    private func removeFinalizedUsers() {
        let gone = state.withLock { $0.objects }.filter { $0.value.object(context) == nil }
        state.withLock { state in
            for (id, weak) in gone where state.objects[id] === weak { state.objects[id] = nil }
        }
    }
}

extension AuthState {
    /// The name of the state, for the log.
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
