internal import CSharedAuthGLib
internal import Dispatch
internal import SharedAuth
internal import Synchronization

/// The core of a `SharedAuthSession`: delivers the views of its engine in a main context, and owns the user objects.
@safe final class SessionCore: ObjectCore, @unchecked Sendable {
    private let state = Mutex(State())
    /// The thread-default main context in which the session was created.
    let context = ContextReference()

    private struct State {
        /// The property `accounts`, which changes only in the session's context.
        var list: ObjectReference?
        var settings = SessionSettings()
        var engine: Result<SharedEngine, AuthError>?
        /// The access group of a session that has ended; nil before that.
        var lastGroup: LastGroup?
        /// The calls in progress.
        var calls: [ObjectIdentifier: PendingCall] = [:]
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

        var isClosed: Bool { lastGroup != nil }

        /// The access group in use: the one of the settings until the slot in use is known, and if there is no engine.
        /// A closed session keeps the one that it had.
        var accessGroup: String? {
            if let lastGroup { return lastGroup.name }
            guard case .success = engine, !view.isUnknown else { return settings.accessGroup }
            return view.accessGroup
        }
    }

    private struct LastGroup {
        let name: String?
    }

    private struct Announced: Equatable {
        let account: AccountID?
    }

    /// The session whose call is running in this task. It emits the signals that the call requires.
    @TaskLocal static var caller: SessionCore?

    /// The engine.
    ///
    /// - Throws: The error that made the session unavailable, such as `invalidAppIdentifier` or `alreadyConfigured`;
    ///   `appDeleted` after the session was closed; `internalError` before it is constructed.
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

    var accounts: OpaquePointer? { unsafe shared_auth_glue_list(store) }

    /// The list of `accounts`, which is created when it is first used.
    private var store: OpaquePointer? {
        let list = state.withLock { state in
            let list = unsafe state.list ?? ObjectReference(taking: Self.newList(), context)
            state.list = list
            return list
        }
        return unsafe OpaquePointer(list.pointer)
    }

    private static func newList() -> UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(g_list_store_new(UserCore.type)!)
    }

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
            state.settings.completeAppID()
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

    /// Ends the session without a notification.
    override func disposed() {
        if end() { log("a session was released without close(), and emits no more signals") }
        let user = state.withLock { state in
            defer { (state.view, state.user, state.pending) = (SessionView(unavailable: .sessionClosed), nil, []) }
            return state.user
        }
        // Perhaps after the GObject is finalized. The release of the user may run code of the app's language.
        withExtendedLifetime(user) { context.isCurrent ? replaceList() : context.invoke { [self] in replaceList() } }
    }

    override func finalized() { log("a session was finalized") }
}

/// The end of a session.
extension SessionCore {
    /// Ends the session: cancels its calls, leaves the engine, and drops the identity provider. The properties then say
    /// that the session was closed, and notify. Calling it again does nothing.
    func close() {
        if end() { post(SessionView(unavailable: .sessionClosed), isLast: true) }
    }

    /// Empties the list of accounts, and puts another in its place: handlers of the list may refer to the session.
    private func replaceList() {
        replaceAccounts([])
        let former = state.withLock { state in
            defer { state.list = nil }
            return state.list
        }
        withExtendedLifetime(former) {}
    }

    /// Leaves the engine, and lets every call fail from now on.
    ///
    /// - Returns: False if the session has ended before.
    private func end() -> Bool {
        let former = state.withLock { state -> State? in
            if state.isClosed { return nil }
            let former = state
            state.lastGroup = LastGroup(name: state.accessGroup)
            (state.engine, state.calls, state.settings.identityProvider) = (.failure(.sessionClosed), [:], nil)
            return former
        }
        guard let former else { return false }
        for call in former.calls.values { call.interrupt(by: .sessionClosed) }
        guard case .success(let engine) = former.engine else { return true }
        engine.leave(self)
        // Releasing the last reference may wait for the message bus.
        DispatchQueue.global().async { withExtendedLifetime(engine) {} }
        return true
    }

    /// Notes a call in progress, which is interrupted if the session is closed meanwhile.
    func begin(_ call: PendingCall) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.calls[ObjectIdentifier(call)] = call }
            return state.isClosed
        }
        if isClosed { call.interrupt(by: .sessionClosed) }
    }

    /// Forgets a call that has ended.
    func ended(_ call: PendingCall) { state.withLock { $0.calls[ObjectIdentifier(call)] = nil } }
}

extension AuthError {
    /// The session was closed.
    static let sessionClosed = AuthError(
        .appDeleted,
        "The session was closed, and its calls no longer work.",
        remedy: "Create another session."
    )
}

/// Delivery of views.
extension SessionCore {
    /// Schedules the delivery of a view in the session's context.
    ///
    /// - Parameter isLast: True for the view of a closed session, which replaces those that are not delivered yet. All
    ///   other views of a closed session are ignored.
    func post(_ view: SessionView, isLast: Bool = false) {
        let isFirst = state.withLock { state in
            if isLast { state.pending = [] } else if state.isClosed { return false }
            state.pending.append(view)
            return state.pending.count == 1 && !state.isDelivering
        }
        if isFirst { context.invoke { [weak self] in self?.deliver() } }
    }

    /// Delivers the pending views in order, on a thread that has the session's context. While a handler runs a nested main loop, later views wait until the handler
    /// returns.
    func deliver() {
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
        let isLast = state.withLock { $0.isClosed && $0.pending.isEmpty }
        if isLast { replaceList() } else { replaceAccounts(accounts.map(\.object)) }
        if isLast {
            notify(object, "accounts")
            notify(object, "identity-provider")
            notify(object, "user-issuer")
        }
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

    /// Changes the list of accounts where it differs, so that a view of it keeps its place and its focus.
    private func replaceAccounts(_ users: [ObjectReference]) {
        let count = unsafe g_list_model_get_n_items(accounts)
        let present = (0..<count).map { index in
            unsafe ObjectReference(taking: g_list_model_get_item(accounts, index)!, context)
        }
        let changes = unsafe ListChange.all(from: present.map(\.pointer), to: users.map(\.pointer))
        for change in changes.reversed() {
            // A handler of the list may end the session, whose list is then empty.
            if !users.isEmpty, state.withLock({ $0.isClosed }) { return }
            var items: [gpointer?] = unsafe users[change.added].map { unsafe $0.pointer }
            let (position, removed) = (guint(change.position), guint(change.removed))
            unsafe g_list_store_splice(store, position, removed, &items, guint(items.count))
        }
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
            let object = UserCore.object(of: user, self)
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
