import TestSupport
import Testing

@testable import SharedAuth

/// An operation and the initial state of the fixture.
struct FaultScenario: Sendable, CustomTestStringConvertible {
    static let a = "group.example.a"
    static let b = "group.example.b"

    let name: String
    /// The group the app is in.
    var group: String?
    /// The uid of the user who is current there.
    var user: String?
    /// The uids in the other slots, by group.
    var others: [String: String] = [:]
    /// True if the user becomes current even though saving failed (Firebase's exception).
    var forces = false
    /// True if the app observes other processes.
    var listens = false
    /// Further preparation.
    var also: (@Sendable (TestApp, AppFixture) async throws -> Void)?
    let perform: @Sendable (TestApp) async throws -> Void

    var testDescription: String { name }

    static let all: [FaultScenario] = [
        FaultScenario(name: "join, no user present") { try $0.auth.useUserAccessGroup(a) },
        FaultScenario(name: "join with a user", user: "x") { try $0.auth.useUserAccessGroup(a) },
        FaultScenario(name: "join a user", others: [a: "y"]) { try $0.auth.useUserAccessGroup(a) },
        FaultScenario(name: "join a user with a user", user: "x", others: [a: "y"]) {
            try $0.auth.useUserAccessGroup(a)
        },
        FaultScenario(name: "switch groups", group: a, user: "x", others: [b: "y"]) {
            try $0.auth.useUserAccessGroup(b)
        },
        FaultScenario(name: "leave a group", group: a, user: "x") { try $0.auth.useUserAccessGroup(nil) },
        FaultScenario(name: "read another group", group: a, user: "x", others: [b: "y"]) {
            _ = try $0.stored(b)
        },
        FaultScenario(name: "sign in", group: a) { try await $0.signIn("y") },
        FaultScenario(name: "sign in over another", group: a, user: "x") { try await $0.signIn("y") },
        FaultScenario(name: "sign out", group: a, user: "x") { try $0.auth.signOut() },
        FaultScenario(name: "sign all users out", group: a, user: "x") { try await $0.auth.signOutAll() },
        FaultScenario(name: "update the current user", group: a, user: "x", others: [b: "y"], forces: true) { app in
            if let user = try app.auth.getStoredUser(forAccessGroup: b) { try await app.auth.updateCurrentUser(user) }
        },
        FaultScenario(name: "refresh", group: a, user: "x") {
            _ = try await $0.auth.currentUser?.getIDToken(forcingRefresh: true)
        },
        FaultScenario(name: "reload", group: a, user: "x") { try await $0.auth.currentUser?.reload() },
        FaultScenario(name: "migrate to a group", user: "x") { try await $0.auth.migrateCurrentUser(toAccessGroup: a) },
        FaultScenario(name: "migrate between groups", group: a, user: "x") {
            try await $0.auth.migrateCurrentUser(toAccessGroup: b)
        },
        FaultScenario(name: "migrate to the app's own slot", group: a, user: "x") {
            try await $0.auth.migrateCurrentUser(toAccessGroup: nil)
        },
        FaultScenario(name: "migrate over another", user: "x", others: [a: "y"]) {
            try await $0.auth.migrateCurrentUser(toAccessGroup: a, policy: .replace)
        },
        FaultScenario(name: "migrate to the same uid", user: "x", others: [a: "x"]) {
            try await $0.auth.migrateCurrentUser(toAccessGroup: a)
        },
        FaultScenario(name: "migrate and keep the other", user: "x", others: [a: "y"]) {
            try await $0.auth.migrateCurrentUser(toAccessGroup: a, policy: .join)
        },
        FaultScenario(name: "change the profile", group: a, user: "x") { app in
            let change = app.auth.currentUser?.createProfileChangeRequest()
            change?.displayName = "New"
            try await change?.commitChanges()
        },
        FaultScenario(
            name: "switch users",
            group: a,
            user: "x",
            also: { app, world in
                try world.put(world.account("y"), in: a, appID: "")
                try app.auth.useUserAccessGroup(a)
            },
            perform: { try await $0.auth.switchCurrentUser(toUID: "x") }
        ),
        FaultScenario(
            name: "sign in anonymously again",
            group: a,
            also: { app, world in
                let user = try await app.signIn("n", anonymous: true)
                // This is the state after a refresh that could not be saved.
                user.replace(with: world.account("n", "2", anonymous: true))
            },
            perform: { _ = try await $0.auth.signInAnonymously() }
        ),
    ]

    /// Scenarios that are swept only with faults of the real bus.
    static let more: [FaultScenario] = [
        FaultScenario(name: "say how the store is", group: a, user: "x") { _ = try await $0.auth.storeStatus() },
        FaultScenario(name: "start", group: a, user: "x") { try await start($0, listening: false) },
        FaultScenario(name: "start and listen", group: a, user: "x") { try await start($0, listening: true) },
        FaultScenario(name: "read again", group: a, user: "x") { app in
            try app.auth.engine.withOperation { operation throws(AuthError) in try operation.rereadSlot() }
        },
        FaultScenario(name: "listen, join a user with a user", user: "x", others: [a: "y"], listens: true) {
            try $0.auth.useUserAccessGroup(a)
        },
        FaultScenario(name: "listen, sign out", group: a, user: "x", listens: true) { try $0.auth.signOut() },
        FaultScenario(name: "listen, migrate to a group", user: "x", listens: true) {
            try await $0.auth.migrateCurrentUser(toAccessGroup: a)
        },
    ]

    /// Starts another process of the app, simulated in this one. Throws if the start does not find the user.
    private static func start(_ app: TestApp, listening: Bool) async throws {
        let other = try TestApp(
            app.world,
            identity: app.identity,
            observesOtherProcesses: listening,
            timeout: .seconds(5),
            listens: false
        )
        let state = await other.auth.ready()
        other.auth.waitUntilIdle()
        if let failure = other.auth.engine.state.failure { throw failure }
        guard case .signedIn(let user) = state, user.uid == "x" else {
            throw AuthError(.internalError, "A start did not find the user: \(state)")
        }
    }

    /// Performs the operation and returns its error.
    func failure(on app: TestApp) async throws -> AuthError? {
        do {
            try await perform(app)
            return nil
        } catch let error as AuthError {
            return error
        }
    }

    /// Returns the state after the operation without a fault.
    func outcome(_ keyring: PrivateKeyring) async throws -> WorldSnapshot {
        let world = try AppFixture(keyring)
        let app = try TestApp(world)
        try await prepare(app, world)
        try await perform(app)
        return try WorldSnapshot(app, Self.stranger(in: world))
    }

    /// Returns an app with its own state directory, so that its reads change nothing.
    static func stranger(in world: AppFixture) throws -> TestApp {
        var world = world
        world.state += "-strangers"
        return try TestApp(world, listens: false)
    }

    /// Creates the initial state, through the app itself or through peers.
    func prepare(_ app: TestApp, _ world: AppFixture) async throws {
        if let group { try app.auth.useUserAccessGroup(group) }
        if let user { try await app.signIn(user) }
        for (group, uid) in others {
            var peers = world
            peers.state += "-peers"
            let peer = try TestApp(peers, appID: "com.example.Peer", listens: false)
            try peer.auth.useUserAccessGroup(group)
            try await peer.signIn(uid)
        }
        try await also?(app, world)
    }
}

/// The stored data, and the app's view of it.
struct WorldSnapshot: Hashable, CustomStringConvertible {
    /// The uid by slot, as the stranger reads it.
    let stored: [String: String]
    /// The group and user of the app.
    let live: String
    /// The group choice on disk.
    let choice: GroupChoice

    var description: String { "live \(live), stored \(stored.sorted { $0.key < $1.key }), \(choice)" }

    init(_ app: TestApp, _ stranger: TestApp) throws {
        live = Self.live(app)
        var stored: [String: String] = [:]
        for group in [nil, FaultScenario.a, FaultScenario.b] {
            stored[group ?? "own"] = try stranger.stored(group)
        }
        self.stored = stored
        app.auth.waitUntilIdle()
        choice = try app.auth.engine.journal.read()
    }

    /// Returns the app's current user and group.
    static func live(_ app: TestApp) -> String {
        "\(app.auth.currentUser?.uid ?? "no user") in \(app.auth.userAccessGroup ?? "own")"
    }
}
