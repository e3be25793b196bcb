internal import SharedAuth
internal import Synchronization

/// Lets AccessEnablers know that the user of a slot was signed out in this process, so that the rest of a log-out follows.
///
/// A slot is also emptied when its user moves to another one; the session goes on there, so that is no log-out.
final class SignOutNotice: Sendable {
    private struct Follower {
        let slot: RecordKey
        weak var runner: EntitlementRunner?
    }

    private struct State {
        var followers: [Follower] = []
        /// The slots that a token was stored in through the view of users, by the token's digest.
        var stored: [String: Set<RecordKey>] = [:]
    }

    private let state = Mutex(State())

    /// Has a runner follow the user of a slot.
    func add(_ runner: EntitlementRunner, of tokens: PassTokenStore) {
        state.withLock { state in
            state.followers.removeAll { $0.runner == nil }
            state.followers.append(Follower(slot: tokens.records.indexKey, runner: runner))
        }
    }

    /// A token was stored as a user.
    func noteStored(_ token: AuthenticationToken, in tokens: PassTokenStore) {
        let digest = Digest.fingerprint(of: token.serialized)
        _ = state.withLock { $0.stored[digest, default: []].insert(tokens.records.indexKey) }
    }

    /// A slot was emptied of this session.
    func noteRemoved(_ session: PassSession?, from tokens: PassTokenStore) {
        guard let session else { return }
        let (digest, slot) = (Digest.fingerprint(of: session.token.serialized), tokens.records.indexKey)
        let runners = state.withLock { state -> [EntitlementRunner] in
            state.stored[digest]?.remove(slot)
            if state.stored[digest]?.isEmpty == false { return [] }
            state.stored[digest] = nil
            return state.followers.filter { $0.slot == slot }.compactMap(\.runner)
        }
        for runner in runners { runner.call { _ in .userSignedOut(session) } }
    }
}

extension AccessEnabler {
    /// Has a sign-out of the user whom an `Auth` on this view shows be a whole log-out: after the wipe, which is the
    /// sign-out, comes the server's part, with the same callbacks as of `logout()`.
    ///
    /// It follows the user of the group, or of the app alone, that ``tokens`` are of. A user that moves to another slot is
    /// not logged out.
    public func follow(_ users: PassUserStore) { users.signOuts.add(runner, of: tokens) }
}
