import Glibc
import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Deaths of a tool that moves two apps out of a group: before and after each call of the store, and before each system
/// call on the stored choices.
struct KilledGroupMoveTests {
    /// The apps of the group.
    enum Member: String, CaseIterable {
        case mail = "com.example.Mail"
        case notes = "com.example.Notes"
    }

    typealias App = MemoryApp<InMemoryRecordStore>

    // MARK: Parts

    /// Kills a tool at each moment of a move.
    ///
    /// - Parameters:
    ///   - uids: the users of the group; the last is current.
    ///   - target: the slot to which the apps move.
    ///   - running: the apps that have started before.
    ///   - check: is called after each death, with the processes of these apps and the moment in words.
    private func forEachDeath(
        of uids: [String] = ["x"],
        to target: Slot = .shared,
        running: [Member] = [],
        _ check: (App, [Member: Auth], Comment) async throws -> Void
    ) async throws {
        var moment = 1
        while true {
            let app = App()
            for uid in uids { try app.put(LeftCopyTests.session(uid, of: app), in: .elsewhere, besides: true) }
            for member in Member.allCases { try app.journal(of: member.rawValue).change { $0.slot = .elsewhere } }
            var processes: [Member: Auth] = [:]
            for member in running { processes[member] = try start(member, of: app) }
            if !(try dies(at: moment, app, to: target)) { break }
            let journals = try Member.allCases.map { try app.journal(of: $0.rawValue).read() }
            try await check(app, processes, "moment \(moment): \(try holders("x", in: app)), \(journals)")
            moment += 1
        }
        print("deaths of a tool: \(moment - 1)")
        #expect(moment > 30)
    }

    /// Moves both apps, and dies at a moment of it.
    ///
    /// - Returns: false if the move ended before.
    private func dies(at moment: Int, _ app: App, to target: Slot) throws -> Bool {
        let count = Mutex(0)
        let isAlive: @Sendable () -> Bool = {
            count.withLock { count in
                count += 1
                return count < moment
            }
        }
        let liveOrThrow: @Sendable (RecordKey) throws(RecordStoreError) -> Void = { _ throws(RecordStoreError) in
            if !isAlive() { throw RecordStoreError(.unavailable, "The test has killed the tool.") }
        }
        let migration = try UserMigration(
            from: app.otherGroup,
            to: target.groupName,
            project: "p",
            store: .custom(app.store),
            stateDirectories: StateDirectories(
                own: app.directory,
                home: "/nonexistent",
                given: [],
                fileSteps: FileStepInterceptor { _, proceed in isAlive() ? proceed() : EIO }
            )
        )
        let steps = try migration.plan(for: .all)
        count.withLock { $0 = 0 }
        for call in [StoreCall.read, .update, .write] { app.store.intercept(call, liveOrThrow) }
        app.store.intercept(.update, isAfter: true, liveOrThrow)
        for step in steps { _ = migration.perform(step) }
        app.store.mend()
        return count.withLock { $0 } >= moment
    }

    private func start(_ member: Member, of app: App) throws -> Auth {
        let auth = try app.start { $0.appID = member.rawValue }
        auth.waitUntilIdle()
        return auth
    }

    private func holders(_ uid: String, in app: App) throws -> [Slot] {
        try [Slot.shared, .elsewhere].filter { try app.users(in: $0).contains(uid) }
    }

    // MARK: Starts

    @Test("Once both apps of a killed move have started, the user is where both look", arguments: Member.allCases)
    func started(first: Member) async throws {
        for uids in [["x"], ["y", "x"]] {
            try await forEachDeath(of: uids) { app, _, place in
                for member in [first] + Member.allCases.filter({ $0 != first }) {
                    #expect(try start(member, of: app).currentUser?.uid == "x", place)
                }
                let slot = try #require(try holders("x", in: app).first)
                for uid in uids { #expect(try holders(uid, in: app) == [slot], place) }
                for member in Member.allCases {
                    let choice = try app.journal(of: member.rawValue).read()
                    #expect(choice.slot == slot && choice.steps.isEmpty, place)
                }
                try finish(app, place)
                for uid in uids { #expect(try holders(uid, in: app) == [.shared], place) }
            }
        }
    }

    /// Runs the tool again.
    private func finish(_ app: App, to target: Slot = .shared, _ place: Comment) throws {
        let migration = try app.migration(from: .elsewhere, to: target)
        for outcome in try migration.plan(for: .all).flatMap({ migration.perform($0) }) {
            #expect([.moved, .alreadyThere, .nothing].contains(outcome.kind), place)
        }
    }

    @Test("Another run after a start of one app moves the other, too", arguments: Member.allCases)
    func runAgain(first: Member) async throws {
        try await forEachDeath { app, _, place in
            _ = try start(first, of: app)
            try finish(app, place)
            #expect(try holders("x", in: app) == [.shared], place)
            for member in Member.allCases {
                #expect(try start(member, of: app).shown == Shown("x", in: .shared), place)
            }
        }
    }

    // MARK: Without a copy

    /// Lets both apps note a move of `x` whose copy was not made.
    private func note(in app: App) throws {
        for member in Member.allCases {
            try app.journal(of: member.rawValue).change { choice in
                choice.slot = .elsewhere
                choice.begin(.migration(of: app.account("x").id, from: .elsewhere, to: .shared))
            }
        }
    }

    @Test("Another session of the user at the target is no copy, and both stay")
    func otherSession() throws {
        let app = App()
        try app.put(LeftCopyTests.session("x", "1", of: app), in: .elsewhere)
        try app.put(LeftCopyTests.session("x", "2", of: app), in: .shared)
        try note(in: app)
        for member in Member.allCases {
            #expect(try start(member, of: app).shown == Shown("x", in: .elsewhere))
            #expect(try app.journal(of: member.rawValue).read().steps.isEmpty)
        }
        let tokens = try [Slot.elsewhere, .shared].map { try app.record(in: $0).currentAccount?.tokens.refreshToken }
        #expect(tokens == ["x/refresh/1", "x/refresh/2"])
    }

    @Test("A user of an unknown session joins the same user; all apps follow")
    func unknownSession() throws {
        let app = App()
        for slot in [Slot.elsewhere, .shared] { try app.put("x", in: slot) }
        try note(in: app)
        for member in Member.allCases { #expect(try start(member, of: app).shown == Shown("x", in: .shared)) }
        #expect(try holders("x", in: app) == [.shared])
    }

    // MARK: The apps' own slots

    /// Returns whether a user is in an app's own slot.
    private func isAtHome(_ uid: String, _ member: Member, of app: App) throws -> Bool {
        let slots = UserSlots(store: app.store.base, appID: member.rawValue, project: "p", instance: "default")
        return try slots.read(.own, by: .patient).record.accounts.contains { $0.uid == uid }
    }

    @Test("A start takes back the copy of a killed move to the apps' own slots", arguments: Member.allCases)
    func takenBack(first: Member) async throws {
        try await forEachDeath(to: .own) { app, _, place in
            for member in [first] + Member.allCases.filter({ $0 != first }) {
                #expect(try start(member, of: app).currentUser?.uid == "x", place)
            }
            let choices = try Member.allCases.map { try app.journal(of: $0.rawValue).read() }
            for (member, choice) in zip(Member.allCases, choices) {
                #expect(try isAtHome("x", member, of: app) == (choice.slot == .own) && choice.steps.isEmpty, place)
            }
            let isInGroup = try app.users(in: .elsewhere) == ["x"]
            #expect(isInGroup == choices.contains { $0.slot == .elsewhere }, place)
            try finish(app, to: .own, place)
            for member in Member.allCases { #expect(try isAtHome("x", member, of: app), place) }
            #expect(try app.users(in: .elsewhere).isEmpty, place)
        }
    }

    @Test(
        "After a killed move to the apps' own slots, a sign-out in the group leaves no copy",
        arguments: [false, true]
    )
    func signedOutOfGroup(runsAgain: Bool) async throws {
        try await forEachDeath(to: .own, running: [.notes]) { app, processes, place in
            let choices = try Member.allCases.map { try app.journal(of: $0.rawValue).read() }
            guard choices.allSatisfy({ $0.slot == .elsewhere }) else { return }
            try #require(processes[.notes]).signOut()
            if runsAgain { try finish(app, to: .own, place) }
            for member in Member.allCases {
                #expect(try start(member, of: app).currentUser == nil, place)
                #expect(try isAtHome("x", member, of: app) == false, place)
            }
        }
    }

    @Test("If a start takes a copy back meanwhile, the user stays in the group")
    func takenBackMeanwhile() throws {
        let app = App()
        try app.put(LeftCopyTests.session("x", of: app), in: .elsewhere)
        for member in Member.allCases { try app.journal(of: member.rawValue).change { $0.slot = .elsewhere } }
        let migration = try app.migration(from: .elsewhere, to: .own)
        let steps = try migration.plan(for: .all)
        app.before(.update, of: .elsewhere) {
            let auth = try app.start { $0.store = .custom(app.store.base) }
            #expect(auth.shown == Shown("x", in: .elsewhere))
            auth.waitUntilIdle()
        }
        #expect(steps.flatMap { migration.perform($0) }.map(\.kind) == [.conflict, .moved])
        #expect(try app.users(in: .elsewhere) == ["x"])
        #expect(try isAtHome("x", .mail, of: app) == false && isAtHome("x", .notes, of: app))
        try finish(app, to: .own, "another run")
        #expect(try app.users(in: .elsewhere).isEmpty)
    }

    // MARK: Sign-outs

    @Test("A sign-out after a killed move ends the session in both groups", arguments: Member.allCases)
    func signedOut(by member: Member) async throws {
        try await forEachDeath { app, _, place in
            try start(member, of: app).signOut()
            #expect(try holders("x", in: app).isEmpty, place)
            for member in Member.allCases { #expect(try start(member, of: app).currentUser == nil, place) }
            try finish(app, place)
            #expect(try holders("x", in: app).isEmpty, place)
        }
    }

    @Test("A sign-out by an app that runs ends the session, whoever has started meanwhile")
    func signedOutByRunning() async throws {
        for starts in [[], [Member.mail], [.notes]] {
            try await forEachDeath(running: [.notes]) { app, processes, place in
                for member in starts { _ = try start(member, of: app) }
                try #require(processes[.notes]).signOut()
                #expect(try holders("x", in: app).isEmpty, place)
                for member in Member.allCases { #expect(try start(member, of: app).currentUser == nil, place) }
            }
        }
    }

    // MARK: Apps that run

    @Test("An app that runs keeps its user when a start of another finishes a killed move", arguments: [false, true])
    func running(isRefreshed: Bool) async throws {
        try await forEachDeath(running: [.notes]) { app, processes, place in
            let isInUse = try app.journal(of: Member.notes.rawValue).read().slot == .elsewhere
            if isRefreshed, isInUse { try LeftCopyTests.refresh("x", in: .elsewhere, of: app) }
            _ = try start(.mail, of: app)
            let notes = try #require(processes[.notes])
            _ = notes.engine.rereadSlot()
            notes.waitUntilIdle()
            #expect(notes.shown == Shown("x", in: notes.shown.slot), place)
            _ = try start(.notes, of: app)
            let slots = try holders("x", in: app)
            #expect(slots.count == 1, place)
            let token = try slots.first.flatMap { try app.record(in: $0).currentAccount?.tokens.refreshToken }
            let last = UserTokens.scripted("x", isRefreshed && isInUse ? "2" : "1").refreshToken
            #expect(token == last, place)
        }
    }
}
