import TestSupport
import Testing

@testable import SharedAuth

/// An operation, and the state of the world it starts from.
struct FaultScenario: Sendable, CustomTestStringConvertible {
    static let a = "group.example.a"
    static let b = "group.example.b"

    let name: String
    /// The group the app is in.
    var group: String?
    /// Who is current there.
    var user: String?
    /// Who is stored in the other slots, by group.
    var others: [String: String] = [:]
    /// Whether the user becomes current even though saving them failed (Firebase's exception).
    var forces = false
    /// Whether the app hears of what others change.
    var listens = false
    /// What else has to happen before.
    var also: (@Sendable (TestApp, AppFixture) async throws -> Void)?
    let perform: @Sendable (TestApp) async throws -> Void

    var testDescription: String { name }

    static let all: [FaultScenario] = [
        FaultScenario(name: "join, nobody anywhere") { try $0.auth.useUserAccessGroup(a) },
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
        FaultScenario(name: "sign everybody out", group: a, user: "x") { try await $0.auth.signOutAll() },
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
        FaultScenario(name: "migrate to the own slot", group: a, user: "x") {
            try await $0.auth.migrateCurrentUser(toAccessGroup: nil)
        },
        FaultScenario(name: "migrate over another", user: "x", others: [a: "y"]) {
            try await $0.auth.migrateCurrentUser(toAccessGroup: a, policy: .replace)
        },
        FaultScenario(name: "migrate to where one is", user: "x", others: [a: "x"]) {
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
                // As after a refresh that could not be saved.
                user.replace(with: world.account("n", "2", anonymous: true))
            },
            perform: { _ = try await $0.auth.signInAnonymously() }
        ),
    ]

    /// What is only worth a sweep where faults are real.
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

    /// Starts another process of the app, as far as this one can be another; what it does not know must be an error.
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
            throw AuthError(.internalError, "A start took the user for gone: \(state)")
        }
    }

    /// Performs it; the error is what it fails with.
    func failure(on app: TestApp) async throws -> AuthError? {
        do {
            try await perform(app)
            return nil
        } catch let error as AuthError {
            return error
        }
    }

    /// What it does when nothing fails.
    func outcome(_ keyring: PrivateKeyring) async throws -> WorldSnapshot {
        let world = try AppFixture(keyring)
        let app = try TestApp(world)
        try await prepare(app, world)
        try await perform(app)
        return try WorldSnapshot(app, Self.stranger(in: world))
    }

    /// Somebody with a state directory of their own, so that looking changes nothing.
    static func stranger(in world: AppFixture) throws -> TestApp {
        var world = world
        world.state += "-strangers"
        return try TestApp(world, listens: false)
    }

    /// Makes the world, in the app's own process or by peers.
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

/// What is stored, and what the app takes for true.
struct WorldSnapshot: Hashable, CustomStringConvertible {
    /// Uid by slot, as a stranger reads it.
    let stored: [String: String]
    /// The group and user of the app.
    let live: String
    /// The choice of group as it is on the disk.
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

    /// The group and user of the app, as it takes them for true.
    static func live(_ app: TestApp) -> String {
        "\(app.auth.currentUser?.uid ?? "nobody") in \(app.auth.userAccessGroup ?? "own")"
    }
}
