import TestSupport
import Testing

@testable import SharedAuth

/// A change of slot during which a process is killed.
struct CrashCase: Sendable, CustomTestStringConvertible {
    enum Target: String, Sendable, CaseIterable {
        case empty
        case sameUser
        case anotherUser
    }

    enum Act: Sendable {
        /// `migrateCurrentUser`.
        case migrate
        /// A ``UserMigration`` by another process.
        case move
        /// `useUserAccessGroup`, which is also the first step of a migration by hand.
        case join
        /// The last step of a migration by hand: the app is in the group, and stores the user whom it has kept.
        case arrival
    }

    static let appID = "com.example.Crash"
    static let a = "group.example.a"
    static let b = "group.example.b"

    let act: Act
    let from: String?
    let to: String?
    let target: Target

    var testDescription: String { "\(command), from \(from ?? "-"), target \(target.rawValue)" }

    static let migrations: [CrashCase] = cases(.migrate)
    /// The same, by a tool; of the targets, another user's has the most steps.
    static let moves: [CrashCase] = cases(.move).filter { $0.target == .anotherUser }
    static let switches: [CrashCase] = cases(.join).filter { $0.leavesUser || $0.target == .anotherUser }
    static let arrivals: [CrashCase] = Target.allCases.map { CrashCase(act: .arrival, from: nil, to: a, target: $0) }

    private static func cases(_ act: Act) -> [CrashCase] {
        [(nil, a), (a, b), (a, nil)].flatMap { from, to in
            Target.allCases.map { CrashCase(act: act, from: from, to: to, target: $0) }
        }
    }

    /// The app id of the process that is killed.
    var victim: String { act == .move ? "com.example.Tool" : Self.appID }

    /// The commands that the process executes before.
    var preparation: [String] { act == .arrival ? ["keep", "use-group \(Self.a)"] : [] }

    /// The command that the process executes.
    var command: String {
        switch act {
        case .migrate: "migrate \(to ?? "-") replace"
        case .move: "move \(from ?? "-") \(to ?? "-") replace"
        case .join: "use-group \(to ?? "-")"
        case .arrival: "put-back"
        }
    }

    /// True if it moves the user, who is never without a slot then.
    var moves: Bool { act == .migrate || act == .move }

    /// True if the app of the witness is migrated as well, from the same group or because it is at the target.
    var hasSeveralApps: Bool { act == .move && from != nil }

    /// True if it leaves a user behind in the app's own slot, who is deleted, as in Firebase.
    var leavesUser: Bool { act == .join && from == nil }

    /// The users in the source afterwards.
    var stayers: [String] { act == .join && !leavesUser ? ["x"] : [] }

    /// The number of calls that the process makes at least, before and after which it is killed.
    var leastCalls: Int { moves || leavesUser ? 10 : 1 }

    /// The user of the target beforehand; nil if it is empty.
    var occupant: String? {
        switch target {
        case .empty: nil
        case .sameUser: "x"
        case .anotherUser: "y"
        }
    }

    /// Returns a fixture with the slots as they are before the change.
    func world(on store: StoreKind) throws -> AppFixture {
        let world = try AppFixture(on: store)
        var user = world.account("x")
        user.tokens = user.tokens.beginningLineage()
        try world.put(user, in: from, appID: Self.appID)
        // The same user has other tokens there.
        if let occupant { try world.put(world.account(occupant, "2"), in: to, appID: Self.appID) }
        if from != nil { try world.choose(from, appID: Self.appID) }
        return world
    }
}
