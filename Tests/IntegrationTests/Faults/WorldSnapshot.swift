import Testing

@testable import SharedAuth

/// What is stored, and what the app takes for true.
struct WorldSnapshot: Hashable, CustomStringConvertible {
    /// Uid by slot, as a stranger reads it.
    let stored: [String: String]
    /// The group and user of a second process of the app, started now.
    let restarted: String
    /// The group and user of the app itself.
    let live: String

    var description: String { "live \(live), restarted \(restarted), stored \(stored.sorted { $0.key < $1.key })" }

    init(_ app: TestApp, _ world: TestApp.World) throws {
        live = Self.describe(app)
        // A stranger with a state directory of its own, so that looking changes nothing.
        var strangers = world
        strangers.state += "-strangers"
        let stranger = try TestApp(strangers, hearsPeers: false, listens: false)
        var stored: [String: String] = [:]
        for group in [nil, FaultScenario.a, FaultScenario.b] {
            stored[group ?? "own"] = try stranger.stored(group)
        }
        self.stored = stored
        restarted = Self.describe(try TestApp(world, hearsPeers: false, listens: false))
    }

    private static func describe(_ app: TestApp) -> String {
        let user = app.auth.currentUser?.uid ?? "nobody"
        if case .unavailable = app.auth.state { return "unavailable" }
        return "\(user) in \(app.auth.userAccessGroup ?? "own")"
    }
}
