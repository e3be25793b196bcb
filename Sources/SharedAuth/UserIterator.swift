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
