extension Auth {
    /// Adds a listener to changes of the current user (Firebase: `addStateDidChangeListener`).
    ///
    /// It is called through `Options.listenerExecutor`, in order:
    /// - once with the present user, when that is known;
    /// - whenever a user with another uid becomes current, or none, in this process or by another of the group;
    /// - with the user of that very change, even if another change follows before it is delivered.
    public func addStateDidChangeListener(
        _ listener: @escaping @Sendable (Auth, User?) -> Void
    ) -> AuthStateDidChangeListenerHandle {
        add(.authState, listener)
    }

    /// Adds a listener to changes of the current user's ID token (Firebase: `addIDTokenDidChangeListener`).
    ///
    /// As `addStateDidChangeListener(_:)`, and called for a new token of the same user too.
    public func addIDTokenDidChangeListener(
        _ listener: @escaping @Sendable (Auth, User?) -> Void
    ) -> IDTokenDidChangeListenerHandle {
        add(.idToken, listener)
    }

    /// Removes a listener; it is not called any more.
    public func removeStateDidChangeListener(_ handle: AuthStateDidChangeListenerHandle) {
        announcer.remove(handle.listener)
    }

    /// Removes a listener; it is not called any more.
    public func removeIDTokenDidChangeListener(_ handle: IDTokenDidChangeListenerHandle) {
        announcer.remove(handle.listener)
    }

    /// The current user, now and after each change of uid.
    public var authStateChanges: AuthStateChanges { AuthStateChanges(announcer: announcer) }

    /// The current user, now and after each change of ID token.
    public var idTokenChanges: IDTokenChanges { IDTokenChanges(announcer: announcer) }

    private func add(
        _ kind: Listener.Kind,
        _ call: @escaping @Sendable (Auth, User?) -> Void
    ) -> AuthListenerHandle {
        let listener = Listener(
            kind,
            .executor { [weak self] user in
                if let self { call(self, user) }
            }
        )
        announcer.add(listener)
        return AuthListenerHandle(listener)
    }
}
