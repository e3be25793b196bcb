internal import SharedAuth
internal import Synchronization
internal import TestSupport

/// Performs operations one by one, and records what each did and its time.
final class HistoryRecorder {
    private(set) var acts: [HistoryAct] = []
    /// The operations on records other than slots.
    private(set) var operations: [HistoryOperation] = []
    private let process: Int
    private let session: Session
    private var auth: Auth { session.auth }

    init(process: Int, session: Session) {
        (self.process, self.session) = (process, session)
        // What the process did since the last history.
        let view = view()
        append(.rest, from: view, since: Monotonic.now())
        collectUpdates()
    }

    func use(_ group: String?) async throws(PeerFailure) {
        try await perform(.use(slot: slot(group))) { auth async throws(AuthError) in
            try auth.useUserAccessGroup(group)
        }
    }

    func read(_ group: String?) async throws(PeerFailure) {
        let slot = slot(group)
        var found: String?
        try await perform { auth async throws(AuthError) in
            found = try auth.getStoredUser(forAccessGroup: group)?.refreshToken
        } as: {
            .read(slot: slot, token: found)
        }
    }

    /// Signs a user in: of the app's tenant, or of another one, which is to be refused then. Each tenant has its own
    /// uids.
    func signIn(_ uid: String, _ number: String, tenant other: String?) async throws(PeerFailure) {
        let tenant = other ?? auth.tenantID
        let uid = (tenant ?? "") + uid
        let token = SessionToken(uid: uid, number: number, tenant: tenant, issuer: session.arguments.issuer)
        try await perform(.signIn(token: token.text)) { auth async throws(AuthError) in
            _ = try await auth.signIn(withEmail: uid, password: number + (tenant.map { ".\($0)" } ?? ""))
        }
    }

    func signOut() async throws(PeerFailure) {
        try await perform(.signOut) { auth async throws(AuthError) in try auth.signOut() }
    }

    func refresh() async throws(PeerFailure) {
        guard let user = auth.currentUser else { return }
        try await perform(.refresh) { _ async throws(AuthError) in _ = try await user.getIDToken(forcingRefresh: true) }
    }

    /// Makes the user of another slot current, who then is in both.
    func update(from group: String?) async throws(PeerFailure) {
        let found: User?
        do throws(AuthError) { found = try auth.getStoredUser(forAccessGroup: group) } catch { throw .auth(error) }
        if let found { try await update(found) }
    }

    /// Migrates the current user as Firebase documents it: the app keeps the user, joins the group, and makes the user
    /// current there.
    func migrateByHand(to group: String?) async throws(PeerFailure) {
        guard let user = auth.currentUser else { return }
        try await use(group)
        try await update(user)
    }

    private func update(_ user: User) async throws(PeerFailure) {
        try await perform(.update(token: user.refreshToken ?? "")) { auth async throws(AuthError) in
            try await auth.updateCurrentUser(user)
        }
    }

    func migrate(to group: String?, _ policy: MigrationPolicy) async throws(PeerFailure) {
        try await perform(.migrate(slot: slot(group), policy)) { auth async throws(AuthError) in
            try await auth.migrateCurrentUser(toAccessGroup: group, policy: policy)
        }
    }

    func choose(tenant: String?) async throws(PeerFailure) {
        try await perform(.chooseTenant(tenant)) { auth async in auth.tenantID = tenant }
        isTenantChosen = true
    }

    private var isTenantChosen: Bool {
        get { session.isTenantChosen.withLock { $0 } }
        set { session.isTenantChosen.withLock { $0 = newValue } }
    }

    /// Swaps a plain record, based on a read just before.
    func swap(_ register: String, _ value: String) async throws(PeerFailure) {
        let key = session.key(register)
        let readBegan = Monotonic.now()
        let found = try session.record(key)
        let seen = found.map { String(decoding: $0.payload, as: UTF8.self) }
        append(register, .read(seen), since: readBegan)
        let swapBegan = Monotonic.now()
        let swapped = try session.swap(key, expecting: found?.revision, for: value)
        append(register, swapped == nil ? .refusal(seen) : .swap(seen, value), since: swapBegan)
    }

    private func append(_ register: String, _ action: HistoryOperation.Action, since began: UInt64) {
        operations.append(
            HistoryOperation(
                process: process,
                register: register,
                action: action,
                began: began,
                ended: Monotonic.now()
            )
        )
    }

    // MARK: Acts

    private func perform(
        _ call: HistoryAct.Call,
        _ act: (Auth) async throws(AuthError) -> Void
    ) async throws(PeerFailure) {
        try await perform(act, as: { call })
    }

    private func perform(
        _ act: (Auth) async throws(AuthError) -> Void,
        as call: () -> HistoryAct.Call
    ) async throws(PeerFailure) {
        collectUpdates()
        let (before, began) = (view(), Monotonic.now())
        var error: Int?
        do throws(AuthError) { try await act(auth) } catch let failure { error = failure.code.rawValue }
        append(call(), from: before, error: error, since: began)
    }

    private func append(_ call: HistoryAct.Call, from before: HistoryAct.View, error: Int? = nil, since began: UInt64) {
        let ended = Monotonic.now()
        acts.append(
            HistoryAct(
                process: process,
                ownSlot: slot(nil),
                isObserving: session.arguments.observes,
                call,
                before: before,
                after: view(),
                error: error,
                exchanges: session.identity.takeExchanges(),
                began: began,
                ended: ended
            )
        )
    }

    /// Adds the updates since the last act to that act: some of a call's work is done after its return.
    func collectUpdates() {
        acts[acts.count - 1].exchanges += session.identity.takeExchanges()
        acts[acts.count - 1].updates += session.takeUpdates()
    }

    private func view() -> HistoryAct.View {
        HistoryAct.View(
            slot: slot(auth.userAccessGroup),
            user: auth.currentUser?.refreshToken,
            tenant: auth.tenantID,
            isTenantChosen: isTenantChosen
        )
    }

    private func slot(_ group: String?) -> String { group.map { "group:\($0)" } ?? "app:\(session.arguments.appID)" }
}

extension Session {
    /// Performs random operations and returns their history: `history PROCESS SEED FIRST COUNT GROUP…`.
    func makeHistory(_ words: [String]) async throws(PeerFailure) -> PeerLine {
        guard let process = Int(words[0]), let seed = UInt64(words[1]), let first = Int(words[2]),
            let count = Int(words[3])
        else { throw .command("history PROCESS SEED FIRST COUNT GROUP...") }
        let groups = Array(words.dropFirst(4))
        var random = SeededRandom(seed: seed &+ UInt64(first))
        let recorder = HistoryRecorder(process: process, session: self)
        for number in first..<first + count {
            try await perform(number, by: recorder, in: groups, "\(process)-\(number)", &random)
        }
        auth.waitUntilIdle()
        recorder.collectUpdates()
        var line = PeerLine(answer: "history")
        (line.acts, line.operations) = (recorder.acts, recorder.operations)
        return line
    }

    private func perform(
        _ number: Int,
        by recorder: HistoryRecorder,
        in groups: [String],
        _ value: String,
        _ random: inout SeededRandom
    ) async throws(PeerFailure) {
        let uid = "user\(Int.random(in: 0..<4, using: &random))"
        let group = ([nil] + groups).randomElement(using: &random) ?? nil
        let tenant = ["t1", nil, nil].randomElement(using: &random) ?? nil
        switch number == 1 ? 0 : Int.random(in: 0..<24, using: &random) {
        case 0..<2: try await recorder.use(number == 1 ? groups[0] : group)
        case 2..<6: try await recorder.signIn(uid, value, tenant: nil)
        case 6: try await recorder.signIn(uid, value, tenant: "t2")
        case 7..<10: try await recorder.signOut()
        case 10..<13: try await recorder.refresh()
        case 13..<15: try await recorder.swap("cas\(Int.random(in: 0..<2, using: &random))", value)
        case 15: try await recorder.update(from: group)
        case 16: try await recorder.migrateByHand(to: group)
        case 17..<19:
            let policies: [MigrationPolicy] = [.fail, .replace, .skip, .join]
            try await recorder.migrate(to: group, policies.randomElement(using: &random) ?? .fail)
        case 19: try await recorder.choose(tenant: tenant)
        default: try await recorder.read(group)
        }
    }
}
