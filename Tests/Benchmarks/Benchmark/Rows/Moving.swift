import Foundation
import SecretService
import SharedAuth
import TestSupport

/// Measures moving one of 200 users without an `Auth` of the app, compared to the calls that a move needs.
///
/// The plan, which reads all 200 users together, is made once for a whole migration; it is not measured.
struct Moving {
    private static let count = 200
    private let store: SecretServiceRecordStore
    private let keyring: PrivateKeyring
    private let collection: SecretCollection
    private let size: Int

    static func row(_ bench: BenchmarkFixture) async throws -> Row {
        let moving = try await Moving(bench)
        var turn = 0
        return Row(
            "moving one of 200 users",
            Work("UserMigration") { count in
                try (0..<count).map { _ in
                    defer { turn += 1 }
                    return try moving.move(turn)
                }
            },
            batch: 10,
            against: [.init(Work("one CreateItem, GetSecret, Delete and synced file", once: moving.bare), aim: 1.3)]
        )
    }

    /// Signs users in to their apps' own slots in a separate keyring, where they do not slow down other rows.
    private init(_ bench: BenchmarkFixture) async throws {
        keyring = try PrivateKeyring()
        let service = keyring.makeService()
        collection = try service.defaultCollection()
        store = SecretServiceRecordStore(service)
        size = bench.size
        for number in 0..<Self.count {
            let identity = ScriptedIdentity()
            var options = BenchmarkFixture.options(keyring, identity)
            options.appID = Self.app(number)
            options.store = .custom(store)
            options.observesOtherProcesses = false
            let auth = try Auth.auth(app: AuthApp(unregistered: options))
            identity.expect(.scripted("user\(number)", String(repeating: "t", count: 600)))
            try await auth.signIn(withEmail: "a@example.com", password: "password")
        }
    }

    private static func app(_ number: Int) -> String { "com.example.Moving\(number)" }

    /// Moves one user to a separate group, or back, and returns the duration.
    private func move(_ turn: Int) throws -> Double {
        let number = turn % Self.count
        let (own, group): (String?, String?) = (nil, "group.example.moving\(number)")
        let isBack = turn / Self.count % 2 == 1
        let migration = try UserMigration(
            from: isBack ? group : own,
            to: isBack ? own : group,
            store: .custom(store),
            stateDirectories: StateDirectories(adding: ["\(keyring.directory)/state/sharedauth"])
        )
        let steps = try migration.plan(for: .named([Self.app(number)]))
        var outcomes: [UserMigration.Outcome] = []
        let time = Stopwatch.time { outcomes = steps.flatMap { migration.perform($0) } }
        guard outcomes.map(\.kind) == [.moved] else { throw Failure("a user was not moved: \(outcomes)") }
        return time
    }

    private func bare() throws {
        let item = try collection.createItem(
            label: "bare",
            attributes: ["a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "xdg:schema": "org.example.Bare"],
            secret: Secret(String(repeating: "s", count: size)),
            replacing: false
        )
        _ = try item.secret()
        let path = "\(keyring.directory)/synced"
        try SmallFile.replace(path, with: Array("a group choice".utf8), durably: true)
        try SmallFile.syncNames(in: SmallFile.directory(of: path), .none)
        try item.delete()
    }
}
