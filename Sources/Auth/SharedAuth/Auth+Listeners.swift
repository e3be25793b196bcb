extension Auth {
    /// Adds a listener to changes of the current user (Firebase: `addStateDidChangeListener`).
    ///
    /// It is called
    /// - once with the present user, when that is known;
    /// - whenever a user with another uid becomes current, or none, in this process or by another of the group;
    /// - in order, and with the user of that very change, even if another change follows before it is delivered.
    ///
    /// The closure determines where the listener is called:
    /// - One that belongs to no actor is called through `Options.listenerExecutor`.
    /// - One that belongs to the main actor is called there, whatever the executor. Closures written in code of the main
    ///   actor do, as in a view model, and so does `{ @MainActor auth, user in … }`: they need no
    ///   `MainActor.assumeIsolated`. They are called by the main queue, or by GLib's default main context where the
    ///   main thread runs that, and wait for one of the two.
    /// - One that belongs to another actor, because it uses that actor's state, is called there.
    ///
    /// A listener that runs a main loop of its own, as a modal dialog does, holds up the other calls of its executor until that
    /// loop ends: completions too, and the calls of other listeners. Show the dialog after the listener has returned.
    ///
    /// In `static func main()` of a `@main` type the compiler gives every closure literal to the main actor, even where `main`
    /// is `nonisolated` or the closure is written `{ @Sendable auth, user in … }`. If `main` then blocks its thread, the
    /// listener is never called, whatever the executor. There, add the listener in another function, or name it first:
    /// `let listener: @Sendable (Auth, User?) -> Void = { auth, user in … }`.
    public func addStateDidChangeListener(
        @_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (Auth, User?) -> Void
    ) -> AuthStateDidChangeListenerHandle {
        add(.authState, listener)
    }

    /// Adds a listener to changes of the current user's ID token (Firebase: `addIDTokenDidChangeListener`).
    ///
    /// As `addStateDidChangeListener(_:)`, and called for a new token of the same user too.
    public func addIDTokenDidChangeListener(
        @_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (Auth, User?) -> Void
    ) -> IDTokenDidChangeListenerHandle {
        add(.idToken, listener)
    }

    /// Removes a listener; it is not called any more.
    public func removeStateDidChangeListener(_ handle: AuthStateDidChangeListenerHandle) {
        engine.announcer.remove(handle.listener)
    }

    /// Removes a listener; it is not called any more.
    public func removeIDTokenDidChangeListener(_ handle: IDTokenDidChangeListenerHandle) {
        engine.announcer.remove(handle.listener)
    }

    /// The current user, now and after each change of uid.
    public var authStateChanges: AuthStateChanges { AuthStateChanges(announcer: engine.announcer) }

    /// The current user, now and after each change of ID token.
    public var idTokenChanges: IDTokenChanges { IDTokenChanges(announcer: engine.announcer) }

    private func add(
        _ kind: Listener.Kind,
        _ call: @escaping @isolated(any) @Sendable (Auth, User?) -> Void
    ) -> AuthListenerHandle {
        let listener: Listener
        switch call.isolation {
        case nil:
            // A function that belongs to no actor is called like any other one.
            let call = unsafe unsafeBitCast(call, to: (@Sendable (Auth, User?) -> Void).self)
            listener = Listener(kind, .executor { [weak self] user in if let self { call(self, user) } })
        case let actor? where actor === MainActor.shared:
            let call = unsafe unsafeBitCast(call, to: (@MainActor @Sendable (Auth, User?) -> Void).self)
            listener = Listener(kind, .mainActor { [weak self] user in if let self { call(self, user) } })
        default:
            let (users, continuation) = AsyncStream<User?>.makeStream()
            listener = Listener(kind, .sequence(continuation))
            // Ends with the listener.
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

/// A registered listener, as the adders give it and the removers take it.
public final class AuthListenerHandle: Sendable {
    let listener: Listener

    init(_ listener: Listener) {
        self.listener = listener
    }
}

/// What `addStateDidChangeListener` gives; as in Firebase, either remover takes either handle.
public typealias AuthStateDidChangeListenerHandle = AuthListenerHandle

/// What `addIDTokenDidChangeListener` gives; as in Firebase, either remover takes either handle.
public typealias IDTokenDidChangeListenerHandle = AuthListenerHandle
