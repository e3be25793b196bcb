import TestSupport
import Testing

@testable import SharedAuth

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
        choice = try app.auth.session.journal.read()
    }

    /// The group and user of the app, as it takes them for true.
    static func live(_ app: TestApp) -> String {
        "\(app.auth.currentUser?.uid ?? "nobody") in \(app.auth.userAccessGroup ?? "own")"
    }
}
