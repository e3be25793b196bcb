import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

extension OneAtATime {
    /// Two apps with different issuers have users with the same uid in one group. The group is moved, and the keyring
    /// daemon is killed now and then.
    struct IssuerTurmoilTests {
        private static let groups = ["group.example.turmoil1", "group.example.turmoil2"]
        private static let apps = ["com.example.One": "one", "com.example.Two": "two"]
        /// The duration in seconds; `SHAREDAUTH_TURMOIL` sets it.
        private static let length =
            ProcessInfo.processInfo.environment["SHAREDAUTH_TURMOIL"].flatMap(Double.init) ?? 15

        /// Counts rounds, error codes and moves until the time is over, and until enough of each have been made.
        private final class Rounds: Sendable {
            private let state = Mutex((count: 0, codes: [Int: Int](), moves: 0, kills: 0))
            private let end = ContinuousClock.now + .seconds(length)

            var isOver: Bool {
                ContinuousClock.now >= end && state.withLock { $0.count > 20 && $0.moves > 0 && $0.kills > 0 }
            }
            var count: Int { state.withLock { $0.count } }
            var moves: Int { state.withLock { $0.moves } }
            var kills: Int { state.withLock { $0.kills } }
            var codes: [Int: Int] { state.withLock { $0.codes } }

            func note(_ code: Int?) {
                state.withLock { state in
                    state.count += 1
                    if let code { state.codes[code, default: 0] += 1 }
                }
            }

            func noteMoves(_ number: Int) { state.withLock { $0.moves += number } }

            func noteKill() { state.withLock { $0.kills += 1 } }
        }

        @Test(
            "No issuer gets another's tokens, none is used twice, each user ends in one slot",
            .timeLimit(.minutes(3 + Int(length / 60)))
        )
        func turmoil() async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let world = try AppFixture(keyring)
            let seed = UInt64.random(in: 0 ... .max)
            print("turmoil: seed \(seed)")
            for app in Self.apps.keys { try world.choose(Self.groups[0], appID: app) }
            let rounds = Rounds()
            let peers = try await withThrowingTaskGroup(of: PeerProcess.self) { group in
                for (place, (appID, issuer)) in Self.apps.sorted(by: <).enumerated() {
                    group.addTask {
                        let peer = try await PeerProcess.started(
                            world,
                            appID: appID,
                            observes: true,
                            options: ["--issuer", issuer]
                        )
                        try await play(peer, rounds, SeededRandom(seed: seed &+ UInt64(place)))
                        return peer
                    }
                }
                try await move(world, rounds)
                return try await group.reduce(into: []) { $0.append($1) }
            }
            print(
                "turmoil: \(rounds.count) rounds, \(rounds.moves) moves, \(rounds.kills) kills, errors \(rounds.codes)"
            )
            for peer in peers {
                // Save tokens that are still unsaved; this would reveal an old token.
                _ = try? await peer.obey("current")
                _ = try? await peer.obey("refresh")
                #expect(peer.inbox.events(["foreign", "reused"]).isEmpty, "seed \(seed)")
            }
            let wrong: [AuthErrorCode] = [.invalidUserToken, .userTokenExpired, .userMismatch, .internalError]
            #expect(wrong.allSatisfy { rounds.codes[$0.rawValue] == nil }, "seed \(seed): \(rounds.codes)")
            try removeEmptyRecords(in: world)
            try await expectEnd(world, "seed \(seed)")
        }

        /// Makes random changes until the rounds are over. Without a user, a sign-in is the only one.
        private func play(_ peer: PeerProcess, _ rounds: Rounds, _ random: SeededRandom) async throws {
            var random = random
            var number = 0
            var hasUser = false
            while !rounds.isOver {
                number += 1
                let signIn = "sign-in x \(number)"
                let commands = [signIn, "refresh", "refresh", "rename Ada", "reload", "current", "sign-out"]
                let command = hasUser ? commands.randomElement(using: &random) ?? signIn : signIn
                do {
                    hasUser = try await peer.obey(command).uid != nil
                    rounds.note(nil)
                } catch let refusal as PeerProcess.Refusal {
                    rounds.note(refusal.code)
                    // Refusals that take no time would be most of the rounds.
                    hasUser = hasUser && refusal.code != AuthErrorCode.nullUser.rawValue
                }
            }
        }

        /// Moves the group back and forth, and kills the daemon after every fifth move.
        private func move(_ world: AppFixture, _ rounds: Rounds) async throws {
            while !rounds.isOver {
                let here = try world.journal("com.example.One").read().slot.groupName
                let there = Self.groups.first { $0 != here }
                let outcomes = try? world.migrate(.named(Self.apps.keys.sorted()), from: here, to: there)
                rounds.noteMoves(outcomes?.count { $0.kind == .moved } ?? 0)
                if rounds.moves / 5 > rounds.kills {
                    rounds.noteKill()
                    try world.keyring.killDaemon()
                    try world.keyring.startDaemon(unlocked: true)
                }
                await Task.yield()
            }
        }

        /// Sets aside, as the next sign-in would, records that contain nothing: GNOME Keyring was killed after it had
        /// created an item and before it stored the item's secret.
        private func removeEmptyRecords(in world: AppFixture) throws {
            let store = world.keyring.makeStore()
            for group in Self.groups {
                _ = try store.update(try world.key(group), by: .patient) { stored in
                    if case .empty = stored { .removeDamaged } else { .keep }
                }
            }
        }

        private func expectEnd(_ world: AppFixture, _ place: String) async throws {
            var records: [String: UserRecord] = [:]
            for (appID, issuer) in Self.apps {
                let app = try PeerProcess(world, appID: appID, options: ["--issuer", issuer])
                let start = try await app.answer("start")
                let chosen = try world.journal(appID).read().slot.groupName
                #expect(start.group == chosen, "\(place)")
                #expect(start.uid == (try world.record(chosen, appID: appID).current?.uid), "\(place)")
            }
            for group in Self.groups { records[group] = try world.record(group, appID: "com.example.One") }
            let accounts = records.values.flatMap(\.accounts)
            #expect(Set(accounts.map(\.id)).count == accounts.count, "\(place): \(accounts.map(\.id))")
            for account in accounts {
                #expect(account.tokens.refreshToken?.hasSuffix("@\(account.id.issuer ?? "")") == true, "\(place)")
            }
        }
    }
}
