/// The current user, now and after each change of uid (Firebase: `authStateChanges`).
///
/// The first element comes once the state is known. The sequence needs no executor. It ends with its task, and with
/// the `Auth`.
public struct AuthStateChanges: AsyncSequence, Sendable {
    /// The current user.
    public typealias Element = User?
    /// The sequence never fails.
    public typealias Failure = Never

    let announcer: Announcer

    /// Begins to listen.
    public func makeAsyncIterator() -> UserIterator {
        UserIterator(.authState, announcer)
    }
}

/// The current user, now and after each change of ID token (Firebase: `idTokenChanges`).
///
/// The first element comes once the state is known. The sequence needs no executor. It ends with its task, and with
/// the `Auth`.
public struct IDTokenChanges: AsyncSequence, Sendable {
    /// The current user.
    public typealias Element = User?
    /// The sequence never fails.
    public typealias Failure = Never

    let announcer: Announcer

    /// Begins to listen.
    public func makeAsyncIterator() -> UserIterator {
        UserIterator(.idToken, announcer)
    }
}

/// Iterates over changes of the current user.
public struct UserIterator: AsyncIteratorProtocol {
    private var iterator: AsyncStream<User?>.Iterator

    init(_ kind: Listener.Kind, _ announcer: Announcer) {
        let (stream, continuation) = AsyncStream<User?>.makeStream()
        let listener = Listener(kind, .sequence(continuation))
        continuation.onTermination = { [weak announcer, weak listener] _ in
            if let listener { announcer?.remove(listener) }
        }
        iterator = stream.makeAsyncIterator()
        announcer.add(listener)
    }

    /// The next user; nil, as the sequence's end, when the task is cancelled.
    public mutating func next() async -> User?? {
        await iterator.next()
    }

    /// The next user, in the caller's isolation.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> User?? {
        await iterator.next(isolation: actor)
    }
}

extension Auth {
    /// The type of ``authStateChanges``, as Firebase calls it.
    public typealias AuthStateChangesSequence = AuthStateChanges
    /// The type of ``idTokenChanges``, as Firebase calls it.
    public typealias IDTokenChangesSequence = IDTokenChanges
}
