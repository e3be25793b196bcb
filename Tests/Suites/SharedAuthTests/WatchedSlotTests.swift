import FoundationEssentials
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// The slot in use is watched from the moment when it is known, and a failure before that is tried again.
struct WatchedSlotTests {
    private let app = MemoryApp()

    private func start(_ adjust: (inout AuthApp.Options) -> Void = { _ in }) throws -> Auth {
        try app.start { options in
            options.observesOtherProcesses = true
            adjust(&options)
        }
    }

    /// Puts a file in the place of the directory with the choice, so that the choice cannot be read.
    private func blockChoice() {
        #expect(FileManager.default.createFile(atPath: app.directory, contents: nil))
    }

    private func unblockChoice() throws {
        try FileManager.default.removeItem(atPath: app.directory)
        try app.choose(.shared)
    }

    @Test(
        "A choice that could not be read is read again, and then the app hears its peers",
        .timeLimit(.minutes(1)),
        arguments: [false, true]
    )
    func choiceReadAgain(actsFirst: Bool) async throws {
        try app.put("x", in: .shared)
        blockChoice()
        let auth = try start()
        guard case .unavailable(let error) = await auth.ready() else { Issue.record("\(auth.state)"); return }
        #expect(error.code == .stateDirectoryUnusable)
        var users = auth.authStateChanges.makeAsyncIterator()
        try unblockChoice()
        if actsFirst { try await app.signIn("y", in: auth) }
        let wanted = actsFirst ? "y" : "x"
        while let user = await users.next(), user?.uid != wanted {}
        #expect(auth.shown == Shown(wanted, in: .shared))
        try app.empty(.shared)
        #expect(await users.next() == .some(nil))
        auth.waitUntilIdle()
        #expect(try await auth.storeStatus().isObserving)
    }

    @Test("A slot is watched before its first read, which is made once")
    func readOnce() async throws {
        try app.put("x", in: .shared)
        try app.choose(.shared)
        let auth = try start()
        #expect(auth.currentUser?.uid == "x")
        auth.waitUntilIdle()
        #expect(app.store.count(of: .watch) == 1)
        #expect(app.store.takeReads() == 1)
        try await auth.useUserAccessGroup(app.otherGroup, timeout: .patience)
        auth.waitUntilIdle()
        #expect(app.store.count(of: .watch) == 1)
        #expect(app.store.takeReads() == 1)
    }

    @Test("No change is lost that falls between the first read of a slot and its use")
    func noGap() async throws {
        try app.choose(.shared)
        app.after(.read, of: .shared) { [app] in try app.put("x", in: .shared) }
        let auth = try start()
        _ = await auth.ready()
        auth.waitUntilIdle()
        #expect(auth.shown == Shown("x", in: .shared))
        app.after(.read, of: .elsewhere) { [app] in try app.put("y", in: .elsewhere) }
        try await auth.useUserAccessGroup(app.otherGroup, timeout: .patience)
        auth.waitUntilIdle()
        #expect(auth.shown == Shown("y", in: .elsewhere))
    }

    @Test("After a switch that fails, the app still hears its slot, and not the other one")
    func failedSwitch() async throws {
        let auth = try start()
        #expect(auth.currentUser == nil)
        app.store.fail(.read, of: .shared, times: 1)
        await expectFailure(.keychainError) { try await auth.useUserAccessGroup(app.group, timeout: .patience) }
        auth.waitUntilIdle()
        app.store.takeCalls()
        try app.put("y", in: .shared)
        auth.waitUntilIdle()
        #expect(app.store.takeReads() == 0)
        try app.put("x", in: .own)
        auth.waitUntilIdle()
        #expect(auth.shown == Shown("x", in: .own))
    }

    @Test("In a group that the app does not declare, nothing is watched or told")
    func undeclared() async throws {
        try app.put("x", in: .own)
        let auth = try start { [app] in $0.accessGroups = [app.otherGroup] }
        #expect(auth.currentUser?.uid == "x")
        try app.migrate()
        _ = auth.engine.rereadSlot()
        #expect(auth.currentUser == nil)
        #expect(try await !auth.storeStatus().isObserving)
        let uids = Recorder<String?>()
        _ = auth.addStateDidChangeListener { _, user in uids.record(user?.uid) }
        auth.waitForAnnouncements()
        #expect(uids.events.isEmpty)
        // The user comes back, and is the first whom the listener is called with.
        try app.migrate(from: .shared, to: .elsewhere)
        _ = auth.engine.rereadSlot()
        #expect(uids.first { _ in true } == .some("x"))
        #expect(auth.shown == Shown("x", in: .elsewhere))
    }

    @Test("After a failure, reading the user calls neither the keyring nor waits for it")
    func readsNothing() async throws {
        app.store.fail(.read)
        let auth = try app.start()
        guard case .unavailable = await auth.ready() else { Issue.record("\(auth.state)"); return }
        app.store.takeCalls()
        #expect(auth.currentUser == nil && auth.tenantID == nil && auth.userAccessGroup == nil)
        #expect(app.store.takeCalls().isEmpty)
        app.store.mend()
        try app.put("x", in: .own)
        #expect(auth.currentUser == nil)
        // A call that uses the keyring reads again.
        try await auth.switchCurrentUser(toUID: "x")
        #expect(auth.currentUser?.uid == "x")
    }

    @Test("The failed read of a slot that the app has left says nothing about the next")
    func leftMeanwhile() async throws {
        try app.put("y", in: .shared)
        let auth = try app.start(with: "x")
        app.before(.read, of: .own) { [app] in try auth.useUserAccessGroup(app.group) }
        app.store.fail(.read, of: .own, times: 1, with: RecordStoreError(.locked, "The test has locked it."))
        _ = auth.engine.rereadSlot()
        #expect(auth.shown == Shown("y", in: .shared))
        #expect(auth.saveFailure == nil)
    }

    @Test("A user whose new slot could not be read is signed out there")
    func signOutAfterFailure() async throws {
        let auth = try app.start(with: "x")
        try app.migrate()
        app.store.fail(.read, of: .shared, times: 1, with: RecordStoreError(.locked, "The test has locked it."))
        _ = auth.engine.rereadSlot()
        guard case .locked = auth.state else { Issue.record("\(auth.state)"); return }
        try await auth.signOut(timeout: .patience)
        #expect(auth.shown == Shown(nil, in: .shared))
        #expect(try app.revision(of: .shared) == nil)
    }

    @Test("updateCurrentUser makes the user current even if the choice cannot be read")
    func unsavedWithoutSlot() async throws {
        blockChoice()
        let auth = try app.start()
        let user = User(app.account("x"), auth: auth, slot: nil)
        await expectFailure(.stateDirectoryUnusable) { try await auth.updateCurrentUser(user) }
        #expect(auth.currentUser === user)
        try unblockChoice()
        try await auth.updateCurrentUser(user)
        #expect(try app.users(in: .shared) == ["x"])
    }
}
