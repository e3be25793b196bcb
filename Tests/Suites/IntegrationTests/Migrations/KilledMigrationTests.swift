import Foundation
import Glibc
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

extension Crashes {
    /// Kills the tool repeatedly while it moves many users.
    struct KilledMigrationTests {
        private static let group = "group.example.killed"
        private static let apps = (0..<200).map { "com.example.App\($0)" }
        private static let kills = Sweep.hasAllPoints ? 200 : 60

        @Test("A migration of 200 slots, killed again and again, loses no user and ends")
        func killed() throws {
            let seed = ProcessInfo.processInfo.environment["KILL_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
            print("killed migration: KILL_SEED=\(seed)")
            var random = SeededRandom(seed: seed)
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            var world = try AppFixture(keyring)
            world.state = "\(keyring.directory)/state/sharedauth"
            for (number, app) in Self.apps.enumerated() {
                try world.put(world.account("u\(number)"), in: nil, appID: app)
            }
            let clock = ContinuousClock()
            let look = clock.measure { _ = try? run(world, ["--dry-run"]).wait() }

            var moved: Set<Int> = []
            for kill in 1...Self.kills {
                let child = try run(world, ["--yes"])
                // Most of the time is spent reading, so most kills are early in the moves, and some before them.
                usleep(
                    UInt32(
                        Double(look.components.attoseconds / 1_000_000_000_000) * .random(in: 0...1.2, using: &random)
                    )
                )
                child.end()
                if kill.isMultiple(of: 20) {
                    moved.insert(try expectNobodyLost(world, "kill \(kill), KILL_SEED=\(seed)"))
                }
            }
            #expect(try run(world, ["--yes"]).wait() == 0)

            // Some kills happened during the moves, not only before or after them.
            print("killed migration: moved at the looks \(moved.sorted())")
            #expect(try expectNobodyLost(world, "KILL_SEED=\(seed)") == Self.apps.count)
            #expect(Set(try world.uids(Self.group)) == Set(Self.apps.indices.map { "u\($0)" }))
            #expect(try world.items().count == 1, "KILL_SEED=\(seed)")
            for app in Self.apps {
                #expect(try world.journal(app).read() == GroupChoice(slot: .group(Self.group)), "KILL_SEED=\(seed)")
            }
        }

        private func run(_ world: AppFixture, _ options: [String]) throws -> ChildProcess {
            try world.keyring.start(
                try BuiltProducts.executable("sharedauth"),
                ["migrate", "--from-own", "--to-group", Self.group, "--all-apps", "--if-occupied", "add"]
                    + ["--project", world.project] + options
            )
        }

        /// Expects each user to be in a slot, and each stored choice to name a slot that holds the app's user.
        ///
        /// - Returns: The number of apps whose users have moved.
        private func expectNobodyLost(_ world: AppFixture, _ place: String) throws -> Int {
            let migration = try world.migration(from: nil, to: Self.group)
            let listed = try migration.store.listRecords(
                ofProject: world.project,
                instance: AuthApp.defaultName,
                kind: "user",
                by: .after(.seconds(20))
            )
            var users: [RecordKey.Scope: Set<String>] = [:]
            for record in listed {
                guard let key = record.key, case .whole(let whole) = record.stored else { continue }
                users[key.scope] = Set(try UserRecord(decoding: whole.payload).accounts.map(\.uid))
            }
            var moved = 0
            for (number, app) in Self.apps.enumerated() {
                let slot = try world.journal(app).read().slot
                if slot != .own { moved += 1 }
                let scope = slot.groupName.map(RecordKey.Scope.group) ?? .app(app)
                #expect(users[scope]?.contains("u\(number)") == true, "\(app), \(place)")
            }
            return moved
        }
    }
}
