extension Auth {
    /// Adds a listener for changes of the current user (Firebase: `addStateDidChangeListener`).
    ///
    /// The listener is called
    /// - once with the current user, as soon as it is known;
    /// - whenever another user becomes current or no user is, in this process or another process of the group (the
    ///   same uid of another issuer is another user);
    /// - whenever the current user must sign in again, or no longer must: see ``User/sessionFailure``;
    /// - in order, and with the user of that change, even if another change follows before the call.
    ///
    /// The isolation of the closure determines where it is called:
    /// - A closure without an actor is called through `Options.listenerExecutor`.
    /// - A closure of the main actor is called there, with every executor. Closures in main-actor code, such as a view
    ///   model, belong to it, and so does `{ @MainActor auth, user in … }`. They do not need
    ///   `MainActor.assumeIsolated`. They run when the main queue runs, or GLib's default main context on the main
    ///   thread.
    /// - A closure of another actor, whose state it uses, is called on that actor.
    ///
    /// A listener that runs a nested main loop, as a modal dialog does, delays the other calls of its executor until
    /// that loop ends, including completions and other listeners. Show the dialog after the listener returns.
    ///
    /// In `static func main()` of a `@main` type, the compiler isolates every closure literal to the main actor, even
    /// if `main` is `nonisolated` or the closure is written `{ @Sendable auth, user in … }`. If `main` then blocks its
    /// thread, the listener is never called, with any executor. In that case, add the listener in another function, or
    /// assign it to a constant first: `let listener: @Sendable (Auth, User?) -> Void = { auth, user in … }`.
    ///
    /// - Returns: A handle to remove the listener with.
    public func addStateDidChangeListener(
        @_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (Auth, User?) -> Void
    ) -> AuthStateDidChangeListenerHandle {
        add(.authState, listener)
    }

    /// Adds a listener for changes of the current user's ID token (Firebase: `addIDTokenDidChangeListener`).
    ///
    /// The listener is called as by `addStateDidChangeListener(_:)`, and also for a new ID token of the same user.
    ///
    /// - Returns: A handle to remove the listener with.
    public func addIDTokenDidChangeListener(
        @_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (Auth, User?) -> Void
    ) -> IDTokenDidChangeListenerHandle {
        add(.idToken, listener)
    }

    /// Removes a listener. It is no longer called.
    public func removeStateDidChangeListener(_ handle: AuthStateDidChangeListenerHandle) {
        engine.announcer.remove(handle.listener)
    }

    /// Removes a listener. It is no longer called.
    public func removeIDTokenDidChangeListener(_ handle: IDTokenDidChangeListenerHandle) {
        engine.announcer.remove(handle.listener)
    }

    /// An asynchronous sequence of the current user: now, and after each change of user.
    public var authStateChanges: AuthStateChanges { AuthStateChanges(announcer: engine.announcer) }

    /// An asynchronous sequence of the current user: now, and after each change of ID token.
    public var idTokenChanges: IDTokenChanges { IDTokenChanges(announcer: engine.announcer) }

    private func add(
        _ kind: Listener.Kind,
        _ call: @escaping @isolated(any) @Sendable (Auth, User?) -> Void
    ) -> AuthListenerHandle {
        let listener: Listener
        switch call.isolation {
        case nil:
            // Without isolation, both function types have the same calling convention.
            let call = unsafe unsafeBitCast(call, to: (@Sendable (Auth, User?) -> Void).self)
            listener = Listener(kind, .executor { [weak self] user in if let self { call(self, user) } })
        case let actor? where actor === MainActor.shared:
            let call = unsafe unsafeBitCast(call, to: (@MainActor @Sendable (Auth, User?) -> Void).self)
            listener = Listener(kind, .mainActor { [weak self] user in if let self { call(self, user) } })
        default:
            let (users, continuation) = AsyncStream<User?>.makeStream()
            listener = Listener(kind, .sequence(continuation))
            // The task ends when the listener is removed.
            Task.detached { [weak self, weak listener] in
                for await user in users {
                    guard let self, listener?.isRetired == false else { return }
                    await call(self, user)
                }
            }
        }
        engine.announcer.add(listener)
        return AuthListenerHandle(listener)
    }
}

/// A handle to a registered listener.
public final class AuthListenerHandle: Sendable {
    let listener: Listener

    init(_ listener: Listener) {
        self.listener = listener
    }
}

/// The handle that `addStateDidChangeListener` returns. As in Firebase, either remove method accepts it.
public typealias AuthStateDidChangeListenerHandle = AuthListenerHandle

/// The handle that `addIDTokenDidChangeListener` returns. As in Firebase, either remove method accepts it.
public typealias IDTokenDidChangeListenerHandle = AuthListenerHandle
