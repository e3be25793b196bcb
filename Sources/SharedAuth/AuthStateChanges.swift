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
