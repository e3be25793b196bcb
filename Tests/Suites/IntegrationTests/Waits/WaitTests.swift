import LocalIdentity
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Tests how often each operation waits for the keyring, one wait after the other.
struct WaitTests {
    /// An operation, and the number of times that it may wait on GNOME Keyring.
    struct Operation: CustomTestStringConvertible {
        let name: String
        let most: Int
        /// Prepares the operation, resets the counter and performs the operation.
        let run: @Sendable (WaitCounter, AppFixture) async throws -> Void

        var testDescription: String { name }
    }

    static let group = "group.example.waits"
    static let other = "group.example.others"

    static let operations = [
        Operation(name: "cold status", most: 6) { waits, world in
            try await occupy(nil, world)
            let app = try TestApp(world, listens: false, waits: waits)
            #expect(app.auth.currentUser?.uid == "x")
            try status(of: app)
        },
        Operation(name: "cold app that listens, until quiet", most: 5) { waits, world in
            try await occupy(nil, world)
            let app = try TestApp(world, observesOtherProcesses: true, waits: waits)
            #expect(app.auth.currentUser?.uid == "x")
            app.auth.waitUntilIdle()
        },
        Operation(name: "first look into a group", most: 2) { waits, world in
            try await occupy(group, world)
            let app = try await signedIn(waits, world)
            #expect(try app.stored(group) == "x")
        },
        Operation(name: "sign-in by e-mail into an empty slot", most: 7) { waits, world in
            let app = try TestApp(world, listens: false, waits: waits) { options in
                options.identityProvider = .local(LocalIdentity.Settings(passwordCost: 4))
                options.identityTimeout = .seconds(300)
            }
            try await app.auth.createUser(withEmail: "person@example.com", password: "password")
            // The revocation of the session is awaited.
            try await app.auth.signOut(timeout: .seconds(60))
            app.auth.waitUntilIdle()
            _ = waits.takeAll()
            try await app.auth.signIn(withEmail: "person@example.com", password: "password")
            #expect(app.auth.currentUser != nil)
        },
        Operation(name: "own to group, users in both, listening", most: 4) { waits, world in
            try await occupy(group, world)
            try await occupy(nil, world)
            let app = try TestApp(world, observesOtherProcesses: true, listens: false, waits: waits)
            #expect(app.auth.currentUser?.uid == "x")
            app.auth.waitUntilIdle()
            _ = waits.takeAll()
            try app.auth.useUserAccessGroup(group)
            #expect(app.auth.currentUser?.uid == "x")
            app.auth.waitUntilIdle()
        },
        Operation(name: "migrate into an empty group", most: 7) { waits, world in
            let app = try await signedIn(waits, world)
            try await app.auth.migrateCurrentUser(toAccessGroup: group)
            app.auth.waitUntilIdle()
        },
        Operation(name: "warm refresh", most: 3) { waits, world in
            let app = try await signedIn(waits, world)
            _ = try await app.auth.currentUser?.getIDToken(forcingRefresh: true)
            app.auth.waitUntilIdle()
        },
        Operation(name: "getStoredUser, warm", most: 1) { waits, world in
            try await occupy(group, world)
            let app = try await signedIn(waits, world)
            _ = try app.stored(group)
            _ = waits.takeAll()
            #expect(try app.stored(group) == "x")
        },
        Operation(name: "useUserAccessGroup to a user, warm, listening", most: 1) { waits, world in
            try await occupy(group, world)
            try await occupy(other, world)
            let app = try await signedIn(waits, world, observesOtherProcesses: true)
            for name in [group, other] { try app.auth.useUserAccessGroup(name) }
            app.auth.waitUntilIdle()
            _ = waits.takeAll()
            try app.auth.useUserAccessGroup(group)
            #expect(app.auth.currentUser?.uid == "x")
        },
        Operation(name: "updateCurrentUser, warm", most: 2) { waits, world in
            let app = try await signedIn(waits, world)
            let user = try #require(app.auth.currentUser)
            try await app.auth.updateCurrentUser(user)
        },
    ]

    @Test("Each operation waits no more often than necessary", arguments: operations)
    func waits(operation: Operation) async throws {
        // Changes by other tests in the same keyring make an observing app read again.
        let world = try AppFixture(PrivateKeyring())
        let counter = WaitCounter()
        try await operation.run(counter, world)
        let waits = counter.takeAll()
        print("waits: \(operation.name): \(waits.count) of \(operation.most) (\(waits.joined(separator: ", ")))")
        #expect(waits.count <= operation.most, "\(operation.name): \(waits)")
        #expect(!waits.isEmpty)
    }

    @Test("With a daemon of unknown kind, its locked property is read before a search")
    func unknownProgram() async throws {
        let world = try AppFixture(PrivateKeyring(state: .noDaemon))
        let daemon = try DaemonChangeTests.startOther(in: world.keyring)
        let waits = WaitCounter()
        let app = try await Self.signedIn(waits, world)
        #expect(try app.stored(Self.group) == nil)
        #expect(waits.takeAll() == ["Get", "SearchItems"])
        // A written item is also read back.
        try app.auth.useUserAccessGroup(Self.group)
        _ = waits.takeAll()
        try await app.signIn("x")
        #expect(waits.takeAll().suffix(2) == ["CreateItem", "Get"])
        withExtendedLifetime(daemon) {}
    }

    /// Signs a user in, as an earlier run of the app.
    private static func occupy(_ group: String?, _ world: AppFixture) async throws {
        let app = try await TestApp.signedIn("x", in: group, world)
        try app.auth.useUserAccessGroup(group)
        app.auth.waitUntilIdle()
        // The next run starts in the app's own slot.
        if group != nil { try TestApp(world).auth.useUserAccessGroup(nil) }
    }

    /// Returns an app with a user in its own slot, no pending work and a reset counter.
    private static func signedIn(
        _ waits: WaitCounter,
        _ world: AppFixture,
        observesOtherProcesses: Bool = false
    ) async throws -> TestApp {
        let app = try TestApp(world, observesOtherProcesses: observesOtherProcesses, listens: false, waits: waits)
        _ = await app.auth.ready()
        try await app.signIn("own")
        app.auth.waitUntilIdle()
        _ = waits.takeAll()
        return app
    }

    private static func status(of app: TestApp) throws {
        #expect(try app.auth.storeStatus().daemon == "gnome-keyring-daemon")
    }
}

extension TestApp {
    fileprivate func signOut() throws { try auth.signOut() }
}
