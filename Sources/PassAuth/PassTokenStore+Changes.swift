extension PassTokenStore {
    /// What the store says of a programmer: now, and whenever that changes, in this process or another of the group, or
    /// because a token expires.
    ///
    /// Each state is one that was current when it was read, in order, and the last always comes. The sequence ends when the
    /// connection to the keyring does, after a state `failed`; ask for another one to go on. Give it up to stop listening.
    /// - Throws: what kept the store from being watched.
    public func states(of requestor: RequestorConfiguration) throws(PassStoreError) -> AsyncStream<PassSessionState> {
        let (states, continuation) = AsyncStream.makeStream(of: PassSessionState.self)
        let feed = SessionFeed(of: self, requestor, continuation)
        continuation.onTermination = { _ in feed.end() }
        try feed.begin()
        return states
    }
}
