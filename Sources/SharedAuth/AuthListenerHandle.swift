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
