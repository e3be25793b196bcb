internal import SharedAuth
internal import Synchronization

/// Notifies AccessEnablers that the user of a slot was signed out in this process, so that they do the rest of a
/// log-out.
///
/// A slot is also emptied when its user moves to another one. The session continues there, so that is not a log-out.
final class SignOutNotice: Sendable {
    private struct Follower {
        let slot: RecordKey
        weak var runner: EntitlementRunner?
    }

    private struct State {
        var followers: [Follower] = []
        /// The slots in which a token was stored through the user store, by the token's digest.
        var stored: [String: Set<RecordKey>] = [:]
    }

    private let state = Mutex(State())

    /// Makes a runner follow the user of a slot.
    func add(_ runner: EntitlementRunner, of tokens: PassTokenStore) {
        state.withLock { state in
            state.followers.removeAll { $0.runner == nil }
            state.followers.append(Follower(slot: tokens.records.indexKey, runner: runner))
        }
    }

    /// Notes that a token was stored as a user.
    func noteStored(_ token: AuthenticationToken, in tokens: PassTokenStore) {
        let digest = Digest.fingerprint(of: token.serialized)
        _ = state.withLock { $0.stored[digest, default: []].insert(tokens.records.indexKey) }
    }

    /// Notes that a session was removed from a slot.
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
    /// Makes a sign-out of the user that an `Auth` shows through this store a complete log-out: after the sign-out,
    /// which wipes the store, it logs out at the server, with the same callbacks as `logout()`.
    ///
    /// It follows the user of the group, or of the app alone, that ``tokens`` belong to. A user that moves to another
    /// slot is not logged out.
    public func follow(_ users: PassUserStore) { users.signOuts.add(runner, of: tokens) }
}
