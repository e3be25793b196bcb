import TestSupport
import Testing

@testable import SharedAuth

/// One way of going from slot to slot that a process may die of.
struct CrashCase: Sendable, CustomTestStringConvertible {
    enum Target: String, Sendable, CaseIterable {
        case empty
        case sameUser
        case anotherUser
    }

    static let appID = "com.example.Crash"
    static let a = "group.example.a"
    static let b = "group.example.b"

    let from: String?
    let to: String?
    let target: Target
    /// What is given to the process.
    let command: String
    /// Whether it moves the user; else it leaves them behind, as Firebase's contract is.
    let moves: Bool

    var testDescription: String { "\(command), from \(from ?? "-"), target \(target.rawValue)" }

    static let migrations: [CrashCase] = [(nil, a), (a, b), (a, nil)].flatMap { from, to in
        Target.allCases.map { target in
            CrashCase(from: from, to: to, target: target, command: "migrate \(to ?? "-") replace", moves: true)
        }
    }

    static let switches: [CrashCase] = Target.allCases.map { target in
        CrashCase(from: nil, to: a, target: target, command: "use-group \(a)", moves: false)
    }

    /// The user of the target before; nil if there is none.
    var occupant: String? {
        switch target {
        case .empty: nil
        case .sameUser: "x"
        case .anotherUser: "y"
        }
    }

    /// Makes the world in which it happens.
    func world(on store: StoreKind) throws -> TestApp.World {
        let world = try TestApp.World(on: store)
        try world.put(world.account("x"), in: from, appID: Self.appID)
        // The same user has other tokens there.
        if let occupant { try world.put(world.account(occupant, "2"), in: to, appID: Self.appID) }
        if from != nil { try world.choose(from, appID: Self.appID) }
        return world
    }
}
