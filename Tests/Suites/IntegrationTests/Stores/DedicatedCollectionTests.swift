import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests records in dedicated collections on a real keyring.
struct DedicatedCollectionTests {
    static let group = "group.example.office"

    /// Returns the labels of the collections that contain the items of a project.
    private func homes(in world: AppFixture) throws -> [String] {
        let service = world.keyring.makeService()
        let found = try service.items(matching: ["sharedauth-project": world.project])
        return try (found.unlocked + found.locked).map { item in
            let folder = item.path.split(separator: "/").dropLast().joined(separator: "/")
            return try service.collection(at: "/\(folder)").label()
        }.sorted()
    }

    @Test("New records go to the named collection, and apps without one find them there")
    func named() async throws {
        let world = try AppFixture(PrivateKeyring(withOpen: ["Office"]))
        let mail = try TestApp(world, observesOtherProcesses: true, collection: .named("Office"))
        let calendar = try TestApp(world, appID: "com.example.Calendar", observesOtherProcesses: true)
        for app in [mail, calendar] { try app.auth.useUserAccessGroup(Self.group) }
        #expect(calendar.heard(2) == .both(nil))
        try await mail.signIn("x")
        #expect(calendar.heard(2) == .both("x"))
        try await calendar.signIn("y")
        #expect(try mail.stored(Self.group) == "y")
        #expect(try homes(in: world) == ["Office"])
        try calendar.auth.signOut()
        // The next record is new: it goes to its writer's collection.
        try await calendar.signIn("z")
        #expect(try mail.stored(Self.group) == "z")
        #expect(try homes(in: world) == ["Login"])
        try await mail.signIn("x")
        #expect(try homes(in: world) == ["Login"])
    }

    @Test("By group, a group's records are in its collection, own ones in the default one")
    func byGroup() async throws {
        let world = try AppFixture(PrivateKeyring(withOpen: [Self.group]))
        let app = try TestApp(world, observesOtherProcesses: true, collection: .namedByGroup)
        try await app.signIn("own")
        #expect(try homes(in: world) == ["Login"])
        try app.auth.useUserAccessGroup(Self.group)
        try await app.signIn("shared")
        #expect(try homes(in: world) == [Self.group])
    }

    @Test("Of two collections with one label, every process uses the same")
    func twins() async throws {
        let world = try AppFixture(PrivateKeyring(withOpen: ["Office", "Office"]))
        let keys = try (1...8).map { try world.key("group.\($0)") }
        for key in keys {
            let store = try TestApp(world, observesOtherProcesses: true, listens: false, collection: .named("Office"))
                .store
            try store.change(key, .write([1]))
        }
        let service = world.keyring.makeService()
        let paths = try service.items(matching: ["sharedauth-project": world.project]).unlocked.map(\.path)
        let collections = Set(paths.map { (path: String) in path.split(separator: "/").dropLast() })
        #expect(collections.count == 1)
    }

    @Test("Without its collection no user is signed in or stored; the error has a remedy")
    func missing() async throws {
        let world = try AppFixture(PrivateKeyring())
        let app = try TestApp(world, observesOtherProcesses: true, collection: .named("Office"))
        guard case .signedOut = await app.auth.ready() else {
            Issue.record("\(app.auth.state)")
            return
        }
        do {
            try await app.signIn("x")
            Issue.record("stored somewhere")
        } catch let error as AuthError {
            #expect(error.code == .keyringUnavailable)
            #expect(error.message.contains("\"Office\"") && error.remedy?.contains("createCollection()") == true)
        }
        #expect(try homes(in: world) == [])
        #expect(app.auth.currentUser == nil)
        #expect(try await app.auth.storeStatus().isLocked == nil)
        // An existing record is changed in place.
        try await TestApp(world, observesOtherProcesses: true).signIn("y")
        try await app.signIn("z")
        #expect(try homes(in: world) == ["Login"])
    }

    @Test("Without a display no prompt is shown, and no collection is created or changed")
    func creating() async throws {
        let world = try AppFixture(PrivateKeyring(withOpen: ["Office"]))
        let service = world.keyring.makeService()
        let before = try service.collections()
        try await TestApp(world, observesOtherProcesses: true, collection: .named("Office")).auth.createCollection()
        try await TestApp(world, observesOtherProcesses: true).auth.createCollection()
        let app = try TestApp(world, observesOtherProcesses: true, collection: .namedByGroup)
        await expectFailure(.promptDismissed) {
            try await app.auth.createCollection(forAccessGroup: Self.group)
        }
        #expect(try service.collections() == before)
    }

    @Test("A locked group collection locks only the group's user, until it is unlocked")
    func locked() async throws {
        let world = try AppFixture(PrivateKeyring(withOpen: ["Office"]))
        let mail = try TestApp(
            world,
            observesOtherProcesses: true,
            interceptor: .withPromptToUnlock(),
            collection: .named("Office")
        )
        let calendar = try TestApp(
            world,
            appID: "com.example.Calendar",
            observesOtherProcesses: true,
            interceptor: .withPromptToUnlock()
        )
        try await calendar.signIn("own")
        for app in [mail, calendar] { try app.auth.useUserAccessGroup(Self.group) }
        try await mail.signIn("x")
        let service = world.keyring.makeService()
        let office = try #require(try service.collections().first { try $0.label() == "Office" })
        try service.lock([office])
        let late = try [
            TestApp(
                world,
                observesOtherProcesses: true,
                interceptor: .withPromptToUnlock(),
                collection: .named("Office")
            ),
            TestApp(
                world,
                appID: "com.example.Calendar",
                observesOtherProcesses: true,
                interceptor: .withPromptToUnlock()
            ),
        ]
        for app in late {
            guard case .locked = await app.auth.ready() else {
                Issue.record("\(app.auth.state)")
                continue
            }
        }
        #expect(try await late[0].auth.storeStatus().isLocked == true)
        #expect(try await late[1].auth.storeStatus().isLocked == false)
        #expect(try calendar.stored(nil) == nil)
        // The collection has no password, so there is no prompt. GNOME Keyring sends no signal for such an unlocking.
        for app in late {
            try await app.auth.unlock()
            #expect(app.heard(2) == .both("x"))
        }
    }

    @Test(
        "An empty locked collection is locked, not signed out, and unlocks on request",
        arguments: [RecordCollection.named("Office"), .namedByGroup]
    )
    func lockedEmpty(_ collection: RecordCollection) async throws {
        let world = try AppFixture(PrivateKeyring(withLocked: ["Office", Self.group]))
        let app = try TestApp(
            world,
            observesOtherProcesses: true,
            interceptor: .withPromptToUnlock(),
            collection: collection
        )
        expectFailure(.keyringLocked) { try app.auth.useUserAccessGroup(Self.group) }
        expectFailure(.keyringLocked) {
            _ = try app.auth.getStoredUser(forAccessGroup: Self.group)
        }
        try await app.auth.unlock()
        try app.auth.useUserAccessGroup(Self.group)
        try await app.signIn("x")
        #expect(try homes(in: world) == [collection == .namedByGroup ? Self.group : "Office"])
    }

    @Test("A collection that is found locked and then deleted does not prevent an unlock")
    func lockedAndDeleted() async throws {
        let world = try AppFixture(PrivateKeyring(withOpen: ["Office"]))
        let app = try TestApp(world, interceptor: .withPromptToUnlock(), collection: .named("Office"))
        try await app.signIn("x")
        let service = world.keyring.makeService()
        try service.lock([service.collection(at: PrivateKeyring.collection("extra0"))])
        expectFailure(.keyringLocked) { try app.auth.getStoredUser(forAccessGroup: nil) }
        try world.keyring.deleteCollection("extra0")
        // Nothing is locked any more. The user is not signed out: the collection may come back.
        await expectFailure(.keyringChanged) { try await app.auth.unlock() }
        #expect(app.auth.currentUser?.uid == "x")
        try app.auth.signOut()
        #expect(app.auth.currentUser == nil)
    }

    @Test("A collection deleted in use signs nobody out and is missing afterwards")
    func deleted() async throws {
        let world = try AppFixture(PrivateKeyring(withOpen: ["Office"]))
        let app = try TestApp(world, collection: .named("Office"))
        try await app.signIn("x")
        try world.keyring.deleteCollection("extra0")
        expectFailure(.keyringChanged) { try app.auth.getStoredUser(forAccessGroup: nil) }
        await expectFailure(.keyringUnavailable) {
            app.identity.expect(.scripted("y", "1"))
            _ = try await app.auth.signIn(withEmail: "person@example.com", password: "password")
        }
    }
}
