internal import Glibc
internal import SharedAuth
internal import TestSupport

/// Performs operations one by one, and records the result and time of each.
final class HistoryRecorder {
    private(set) var operations: [HistoryOperation] = []
    private let process: Int
    private let session: Session
    /// The group in use.
    private var group = ""

    init(process: Int, session: Session) {
        self.process = process
        self.session = session
    }

    func use(_ group: String) async throws(PeerFailure) {
        self.group = group
        try await note(group) { auth async throws(AuthError) in
            try auth.useUserAccessGroup(group)
            return .read(auth.currentUser?.refreshToken)
        }
    }

    func read(_ group: String) async throws(PeerFailure) {
        try await note(group) { auth async throws(AuthError) in
            .read(try auth.getStoredUser(forAccessGroup: group)?.refreshToken)
        }
    }

    func signIn(_ uid: String, _ token: String) async throws(PeerFailure) {
        try await note(group) { auth async throws(AuthError) in
            _ = try await auth.signIn(withEmail: uid, password: token)
            // Not the user's present token: if the process observes peers, that may already be the next sign-in's.
            return .write(HistoryOperation.value(uid, token))
        }
    }

    /// Signs out if this process has a user and does not observe peers.
    func signOut() async throws(PeerFailure) {
        // If the process observed peers, the user could be gone between this check and the sign-out.
        guard !session.arguments.observes, session.auth.currentUser != nil else { return }
        try await note(group) { auth async throws(AuthError) in
            try auth.signOut()
            // Another user whom a peer signed in meanwhile, unnoticed, stays.
            return auth.currentUser.map { .read($0.refreshToken) } ?? .write(nil)
        }
    }

    func refresh() async throws(PeerFailure) {
        guard let user = session.auth.currentUser else { return }
        let mine = "\(user.uid)/refreshed-\(getpid())-"
        try await note(group) { _ async throws(AuthError) in
            let token = try await user.getIDToken(forcingRefresh: true)
            return token.hasPrefix(mine) ? .renewal(token) : .read(token)
        }
    }

    /// Swaps a plain record, based on a read just before.
    func swap(_ register: String, _ value: String) async throws(PeerFailure) {
        let key = session.key(register)
        let readBegan = Self.now()
        let found = try session.record(key)
        let seen = found.map { String(decoding: $0.payload, as: UTF8.self) }
        append(register, .read(seen), since: readBegan)
        let swapBegan = Self.now()
        let swapped = try session.swap(key, expecting: found?.revision, for: value)
        append(register, swapped == nil ? .refusal(seen) : .swap(seen, value), since: swapBegan)
    }

    private func note(
        _ register: String,
        _ act: (Auth) async throws(AuthError) -> HistoryOperation.Action
    ) async throws(PeerFailure) {
        let began = Self.now()
        let action: HistoryOperation.Action
        do throws(AuthError) {
            action = try await act(session.auth)
        } catch {
            throw .auth(error)
        }
        append(register, action, since: began)
    }

    private func append(_ register: String, _ action: HistoryOperation.Action, since began: UInt64) {
        operations.append(
            HistoryOperation(process: process, register: register, action: action, began: began, ended: Self.now())
        )
    }

    private static func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

extension Session {
    /// Performs random operations and returns their history: `history PROCESS SEED COUNT GROUP…`.
    func makeHistory(_ words: [String]) async throws(PeerFailure) -> PeerLine {
        guard let process = Int(words[0]), let seed = UInt64(words[1]), let count = Int(words[2]) else {
            throw .command("history PROCESS SEED COUNT GROUP...")
        }
        let groups = Array(words.dropFirst(3))
        var random = SeededRandom(seed: seed)
        let recorder = HistoryRecorder(process: process, session: self)
        try await recorder.use(groups[0])
        for number in 1...count {
            let value = "\(process)-\(number)"
            switch Int.random(in: 0..<20, using: &random) {
            case 0: try await recorder.use(groups.randomElement(using: &random) ?? groups[0])
            case 1..<5: try await recorder.signIn("user\(Int.random(in: 0..<4, using: &random))", value)
            case 5..<7: try await recorder.signOut()
            case 7..<9: try await recorder.refresh()
            case 9..<14: try await recorder.swap("cas\(Int.random(in: 0..<2, using: &random))", value)
            default: try await recorder.read(groups.randomElement(using: &random) ?? groups[0])
            }
        }
        var line = PeerLine(answer: "history")
        line.operations = recorder.operations
        return line
    }
}
