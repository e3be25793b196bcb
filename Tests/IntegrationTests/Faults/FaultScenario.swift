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
    /// What else has to happen before.
    var also: (@Sendable (TestApp, TestApp.World) async throws -> Void)?
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
            try await $0.auth.migrateCurrentUser(toAccessGroup: a, policy: .keepTarget)
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

    /// Makes the world, in the app's own process or by peers.
    func prepare(_ app: TestApp, _ world: TestApp.World) async throws {
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
