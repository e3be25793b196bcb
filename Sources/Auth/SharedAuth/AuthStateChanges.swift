/// An asynchronous sequence of the current user: now, and after each change of user (Firebase: `authStateChanges`).
///
/// The first element arrives once the state is known. The sequence needs no listener executor. It ends when its task is
/// cancelled, the app is deleted, or the `Auth` is deallocated.
public struct AuthStateChanges: AsyncSequence, Sendable {
    /// The current user; nil if no user is signed in.
    public typealias Element = User?
    /// The sequence never fails.
    public typealias Failure = Never

    let announcer: Announcer

    /// Starts observing the current user.
    public func makeAsyncIterator() -> UserIterator {
        UserIterator(.authState, announcer)
    }
}

/// An asynchronous sequence of the current user: now, and after each ID token change (Firebase: `idTokenChanges`).
///
/// The first element arrives once the state is known. The sequence needs no listener executor. It ends when its task is
/// cancelled, the app is deleted, or the `Auth` is deallocated.
public struct IDTokenChanges: AsyncSequence, Sendable {
    /// The current user; nil if no user is signed in.
    public typealias Element = User?
    /// The sequence never fails.
    public typealias Failure = Never

    let announcer: Announcer

    /// Starts observing the current user.
    public func makeAsyncIterator() -> UserIterator {
        UserIterator(.idToken, announcer)
    }
}

/// The iterator of ``AuthStateChanges`` and ``IDTokenChanges``.
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

    /// Returns the next element (nil inside it: no user is signed in), or nil at the end of the sequence.
    public mutating func next() async -> User?? {
        await iterator.next()
    }

    /// Returns the next element, as `next()` does, in the caller's isolation.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> User?? {
        await iterator.next(isolation: actor)
    }
}

extension Auth {
    /// Firebase's name for the type of ``authStateChanges``.
    public typealias AuthStateChangesSequence = AuthStateChanges
    /// Firebase's name for the type of ``idTokenChanges``.
    public typealias IDTokenChangesSequence = IDTokenChanges
}
