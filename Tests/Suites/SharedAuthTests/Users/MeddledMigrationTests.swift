import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Migrations and switches whose slots another process changes meanwhile.
struct MeddledMigrationTests {
    let app = MemoryApp(issuer: nil)

    @Test("A session new at the target is saved before removal, and newer tokens are moved")
    func replacedMeanwhile() throws {
        try app.put("x", in: .own)
        let newer = app.account("x", "2", lasting: 7200)
        app.before(.update, of: .own) {
            // After the copy, the app refreshes, and another user signs in at the target.
            try app.put(newer, in: .own)
            try app.change(.shared) { _ in UserRecord().signingIn(app.account("z")) }
        }
        var saved: [String] = []
        let outcomes = try app.perform(app.migration(.replace)) { saved.append($0.uid) }
        #expect(outcomes.map(\.kind) == [.moved])
        #expect(saved == ["z"])
        #expect(outcomes.first?.replacedUID == "z")
        #expect(try app.record(in: .shared).accounts.map(\.tokens.refreshToken) == [newer.tokens.refreshToken])
        #expect(try app.record(in: .own).isEmpty)
    }

    @Test("With the policy fail, a user new at the target stays and nothing else changes")
    func occupiedMeanwhile() throws {
        try app.put("x", in: .own)
        app.before(.update, of: .own) {
            try app.put(app.account("x", "2", lasting: 7200), in: .own)
            try app.put("z", in: .shared)
        }
        #expect(try app.perform(app.migration()).map(\.kind) == [.conflict])
        #expect(try app.users(in: .shared) == ["z"])
        #expect(try app.users(in: .own) == ["x"])
        #expect(try app.journal().read() == GroupChoice())
    }

    @Test("A session that the user begins at the target survives a failed migration")
    func signedInAtTarget() throws {
        try app.put(app.account("x", issuer: "one"), in: .own)
        let newer = app.account("x", "there", issuer: "one", lasting: 7200)
        app.before(.update, of: .own) {
            // After the copy, the user signs in again at both places.
            try app.put(app.account("x", "here", issuer: "one"), in: .own)
            try app.change(.shared) { _ in UserRecord().signingIn(newer) }
            app.before(.update, of: .own) { try app.put(app.account("z", issuer: "one"), in: .own) }
        }
        #expect(try app.perform(app.migration()).map(\.kind) == [.conflict])
        #expect(try app.record(in: .shared).accounts.map(\.tokens.refreshToken) == [newer.tokens.refreshToken])
        #expect(try app.users(in: .own) == ["z"])
    }

    @Test("A replaced user returns though others changed the copy and put it back")
    func putBack() throws {
        try app.put(app.account("x", issuer: "one"), in: .own)
        try app.put(app.account("y", issuer: "one"), in: .shared)
        app.before(.update, of: .own) {
            let copy = try app.record(in: .shared)
            try app.change(.shared) { _ in UserRecord().signingIn(app.account("w", issuer: "one")) }
            try app.change(.shared) { _ in copy }
            try app.put(app.account("x", "here", issuer: "one"), in: .own)
            app.before(.update, of: .own) { try app.put(app.account("z", issuer: "one"), in: .own) }
        }
        #expect(try app.perform(app.migration(.replace)).map(\.kind) == [.conflict])
        #expect(try app.users(in: .shared) == ["y"])
        #expect(try app.users(in: .own) == ["z"])
    }

    /// Lets an app refresh `x` at the target after the copy, the source change, and the app choose another group after
    /// the next copy.
    private func refreshMeanwhile(_ account: Account) throws {
        try app.put(account, in: .own)
        try app.put(app.account("y", issuer: "one"), in: .shared)
        app.before(.update, of: .own) {
            try LeftCopyTests.refresh("x", in: .shared, of: app)
            try app.change(.own) { $0.signingIn(app.account("v"), keepingOthers: true).selecting($0.current) }
            app.before(.update, of: .own) {
                try app.journal().change { ChoiceChange(switchingTo: .elsewhere, leaving: nil).apply(to: &$0) }
            }
        }
    }

    private var session: Account {
        var account = app.account("x", issuer: "one")
        account.tokens = account.tokens.beginningLineage()
        return account
    }

    @Test("Tokens refreshed at the target are brought back before the copy is taken back")
    func refreshedAtTarget() throws {
        try refreshMeanwhile(session)
        #expect(try app.perform(app.migration(.replace)).map(\.kind) == [.conflict])
        #expect(try app.users(in: .shared) == ["y"])
        let record = try app.record(in: .own)
        #expect(record.currentAccount?.tokens.refreshToken == "x/refresh/2" && record.accounts.count == 2)
    }

    @Test("A copy whose newer tokens cannot be brought back stays")
    func refreshedForGood() throws {
        try refreshMeanwhile(session)
        app.store.fail(.write, of: .own)
        #expect(try app.perform(app.migration(.replace)).map(\.kind) == [.conflict])
        #expect(try app.user(in: .shared) == "x")
        #expect(try app.record(in: .shared).currentAccount?.tokens.refreshToken == "x/refresh/2")
    }

    @Test("A replaced user returns beside newer tokens of an unknown sign-in")
    func refreshedByUnknown() throws {
        try refreshMeanwhile(app.account("x", issuer: "one"))
        #expect(try app.perform(app.migration(.replace)).map(\.kind) == [.conflict])
        let record = try app.record(in: .shared)
        #expect(record.current?.uid == "y" && record.accounts.count == 2)
        #expect(record.accounts.first { $0.uid == "x" }?.tokens.refreshToken == "x/refresh/2")
    }

    @Test("A user new at the source is moved too, and one who signs out is not brought back")
    func sourceMeanwhile() throws {
        try app.put("x", in: .own)
        app.before(.update, of: .own) { try app.put("y", in: .own, besides: true) }
        #expect(try app.perform(app.migration(.add)).map(\.kind) == [.moved])
        #expect(Set(try app.users(in: .shared)) == ["x", "y"])
        #expect(try app.record(in: .own).isEmpty)

        try app.put("v", in: .own)
        try app.choose(.own)
        app.before(.update, of: .own) { try app.change(.own) { $0.removing("v" as AccountID) } }
        #expect(try app.perform(app.migration(.add)).map(\.kind) == [.conflict])
        #expect(Set(try app.users(in: .shared)) == ["x", "y"])
        #expect(try app.journal().read().slot == .own)
    }

    @Test("A user signed out at the target returns by a later sign-in, not by the original")
    func signedOut() throws {
        try app.put("x", in: .own)
        let original = try app.slots.copiedFrom(.own, at: #require(try app.revision(of: .own)))
        try app.change(.shared) { $0.signingIn(app.account("x")).removing("x", leaving: [original]) }
        let migration = try app.migration()
        let refused = try app.perform(migration)
        #expect(refused.map(\.kind) == [.conflict])
        #expect(
            refused.first?.error?.message
                == "x has signed out of access group \(app.group), and this copy is still to be deleted."
        )
        #expect(try app.preview(migration).map(\.kind) == [.conflict])
        #expect(try app.users(in: .own) == ["x"])
        #expect(try app.journal().read() == GroupChoice())

        try app.put(app.account("x", "2"), in: .own)
        #expect(try app.perform(app.migration()).map(\.kind) == [.moved])
        #expect(try app.users(in: .shared) == ["x"])
        #expect(try app.record(in: .own).isEmpty)
    }

    @Test("A damaged target is set aside if it may be replaced, and is an error otherwise")
    func damagedTarget() throws {
        try app.put("x", in: .own)
        try app.store.base.update(.shared, by: .patient) { _ in .write(Array("damage".utf8)) }
        for policy in [MigrationPolicy.fail, .add, .skip] {
            let outcomes = try app.perform(app.migration(policy))
            #expect(outcomes.map(\.kind) == [.failed])
            #expect(outcomes.first?.error?.code == .recordDamaged)
        }
        let migration = try app.migration(.replace)
        #expect(try app.preview(migration).map(\.kind) == [.moved])
        #expect(try app.perform(migration).map(\.kind) == [.moved])
        #expect(try app.users(in: .shared) == ["x"])
    }

    @Test("The same uid of another issuer is another account, and both are kept together")
    func issuersTogether() throws {
        try app.put(app.account("x", issuer: "one"), in: .own)
        try app.put(app.account("x", "2", issuer: "two"), in: .shared)
        #expect(try app.perform(app.migration(.add)).map(\.kind) == [.moved])
        let group = try app.record(in: .shared)
        #expect(group.accounts.map(\.issuer) == ["two", "one"] && group.currentAccount?.issuer == "two")
        #expect(try app.record(in: .own).accounts.isEmpty)
    }

    @Test("The same uid of another issuer is another user")
    func issuers() throws {
        try app.put(app.account("x", issuer: "one"), in: .own)
        try app.put(app.account("x", "2", issuer: "two"), in: .shared)
        for policy in [MigrationPolicy.fail, .skip] {
            #expect(try app.perform(app.migration(policy)).map(\.kind) == [policy == .skip ? .skipped : .conflict])
            #expect(try app.record(in: .shared).accounts.map(\.issuer) == ["two"])
            #expect(try app.record(in: .own).accounts.map(\.issuer) == ["one"])
        }
        var saved: [String] = []
        #expect(try app.perform(app.migration(.replace)) { saved.append($0.uid) }.map(\.kind) == [.moved])
        #expect(saved == ["x"])
        #expect(try app.record(in: .shared).accounts.map(\.issuer) == ["one"])
    }

    // MARK: Moves that another process finishes

    /// Lets another process of the app start after the copy is written and before the source is locked. It finishes the
    /// move. If the store may forget, it does not delete the original.
    private func finishMeanwhile(_ app: MemoryApp<InMemoryRecordStore>, isDurable: Bool) {
        app.before(.update, of: .own) {
            let store = FaultInjectingStore(app.store.base, isDurable: isDurable)
            if !isDurable { store.before(.update, of: .own) { _ in store.fail(.update, of: .own) } }
            let shown = try app.start { $0.store = .custom(store) }.shown
            let originals = try app.users(in: .own)
            #expect(shown == Shown("x", in: .shared) && originals == (isDurable ? [] : ["x"]))
        }
    }

    @Test("A tool does not take back a move that the app's start has finished", arguments: [true, false])
    func finishedByStart(isDurable: Bool) throws {
        let app = MemoryApp(on: FaultInjectingStore(InMemoryRecordStore(), isDurable: isDurable), issuer: nil)
        try app.put("x", in: .own)
        finishMeanwhile(app, isDurable: isDurable)
        #expect(try app.perform(app.migration()).map(\.kind) == [.moved])
        #expect(try app.users(in: .shared) == ["x"])
        #expect(try app.journal().read().slot == .shared)
        #expect(try app.start().shown == Shown("x", in: .shared))
    }

    @Test("An app does not take back a move that another process of it has finished", arguments: [true, false])
    func finishedByPeer(isDurable: Bool) throws {
        let app = MemoryApp(on: FaultInjectingStore(InMemoryRecordStore(), isDurable: isDurable), issuer: nil)
        let auth = try app.start(with: "x")
        finishMeanwhile(app, isDurable: isDurable)
        try auth.migrateCurrentUser(toAccessGroup: app.group)
        #expect(auth.shown == Shown("x", in: .shared))
        #expect(try app.users(in: .shared) == ["x"])
        #expect(try app.journal().read().slot == .shared)
    }

    // MARK: Switches by hand

    @Test("Another user found in the app's own slot stays, and so does the noted keeper", arguments: [true, false])
    func otherUser(isNamed: Bool) throws {
        try app.put("x", in: .own)
        app.journal().noteKeeper(.gnomeKeyring, of: .own, by: .patient)
        app.before(.update, of: .own) { try app.put("z", in: .own) }
        let auth = try app.start { options in
            guard isNamed else { return }
            options.accessGroup = app.group
            options.ownUserPolicy = .clear
        }
        #expect(auth.currentUser?.uid == (isNamed ? nil : "x"))
        if !isNamed { try auth.useUserAccessGroup(app.group) }
        #expect(auth.shown == Shown(nil, in: .shared))
        #expect(try app.users(in: .own) == ["z"])
        #expect(try app.journal().keepers(of: .own) == [.gnomeKeyring])
    }

    @Test("If a peer has chosen the target, the deletion of the left user is noted first")
    func chosenByPeer() throws {
        let auth = try app.start(with: "x")
        let steps = Recorder<[GroupChoice.Pending]>()
        app.before(.update, of: .own) { try app.choose(.shared) }
        app.before(.deletion, of: .own) { steps.record(try app.journal().read().steps) }
        try auth.useUserAccessGroup(app.group)
        #expect(auth.shown == Shown(nil, in: .shared))
        #expect(try app.users(in: .own).isEmpty)
        #expect(steps.events.map(\.count) == [1])
        #expect(try app.journal().read() == GroupChoice(slot: .shared))
    }

    // MARK: Interrupted migrations

    @Test("The next start deletes all moved accounts, and none that is newer or stays")
    func severalLeftBehind() throws {
        try app.put("x", "y", "z", in: .own)
        let revision = try #require(try app.revision(of: .own))
        try app.put("x", "z", in: .shared)
        try app.journal().change { choice in
            choice = GroupChoice(
                slot: .shared,
                pending: .deletion(of: .own, revision: revision, accounts: ["x", "z"])
            )
        }
        let auth = try app.start()
        #expect(auth.currentUser?.uid == "z")
        #expect(try app.users(in: .own) == ["y"])
        auth.waitUntilIdle()
        #expect(try app.journal().read() == GroupChoice(slot: .shared))
    }

    @Test("Remaining originals of one record are deleted together, except without a copy")
    func severalOriginals() throws {
        try app.put("x", "y", "z", in: .own)
        let revision = try #require(try app.revision(of: .own))
        try app.put("x", "z", in: .shared)
        try app.journal().change { choice in
            choice.slot = .shared
            choice.remainingOriginals = (["x", "y", "z"] as [AccountID]).map {
                .init($0, slot: .own, revision: revision, target: .shared)
            }
        }
        #expect(try app.start().currentUser?.uid == "z")
        #expect(try app.users(in: .own) == ["y"])
        let left = try app.journal().read().remainingOriginals
        #expect(try left.map(\.uid) == ["y"] && left.first?.revision == app.revision(of: .own))
    }

    @Test("An app that cannot read its user's new slot retries, and then observes that slot")
    func unreadableTarget() throws {
        try app.put("x", in: .own)
        let failing = FaultInjectingStore(app.store.base)
        let auth = try app.start {
            $0.store = .custom(failing)
            $0.observesOtherProcesses = true
        }
        let heard = Recorder<String?>()
        let handle = auth.addIDTokenDidChangeListener { _, user in heard.record(user?.refreshToken) }
        defer { auth.removeIDTokenDidChangeListener(handle) }
        #expect(heard.take { _ in true } == ["x/refresh/1"])
        failing.fail(.read, of: .shared, times: 2)
        #expect(try app.perform(app.migration()).map(\.kind) == [.moved])
        try app.put(app.account("x", "2", lasting: 7200), in: .shared)
        #expect(heard.take { _ in true } == ["x/refresh/2"])
        #expect(auth.userAccessGroup == app.group)
        try app.empty(.shared)
        #expect(heard.take { _ in true } == [nil])
    }

    @Test("All uids of several accounts are listed, and those already at the target")
    func uids() throws {
        try app.put("x", "y", in: .own)
        try app.put("x", in: .shared)
        let migration = try app.migration(.add)
        let steps = try migration.plan(for: .named([app.id]))
        let begun = steps.flatMap { $0.beginning(of: migration) }
        let looked = try migration.preview(steps)
        for outcomes in [begun, looked, steps.flatMap { migration.perform($0) }] {
            #expect(outcomes.map(\.uid) == ["y"])
            #expect(outcomes.map(\.uids) == [["x", "y"]])
            #expect(outcomes.map(\.uidsAtTarget) == [["x"]])
        }
    }
}
