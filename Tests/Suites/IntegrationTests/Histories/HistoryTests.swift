import Foundation
import TestSupport
import Testing

extension OneAtATime {
    /// Tests that random operations of many processes on shared slots and records can be explained by one order.
    struct HistoryTests {
        static let groups = ["group.example.history1", "group.example.history2"]

        @Test("Eight processes' operations have an order that explains each result", arguments: LockKind.allCases)
        func history(lock: LockKind) async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let world = try AppFixture(keyring)
            try await check("under \(lock)", world, locking: lock.argument(in: world))
        }

        @Test("Operations on an encrypted-file store have an order that explains each result")
        func files() async throws {
            try await check("on files", try AppFixture(on: .encryptedFile), locking: "automatic")
        }

        private func check(_ place: String, _ world: AppFixture, locking: String) async throws {
            let seed =
                ProcessInfo.processInfo.environment["HISTORY_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max)
            print("history \(place): HISTORY_SEED=\(seed)")
            let operations = try await withThrowingTaskGroup(of: [HistoryOperation].self) { group in
                for process in 0..<8 {
                    group.addTask {
                        let peer = try await PeerProcess.started(
                            world,
                            appID: "com.example.History\(process)",
                            locking: locking,
                            observes: !process.isMultiple(of: 2),
                            deadline: 60_000
                        )
                        let words = [String(process), String(seed &+ UInt64(process)), "150"] + Self.groups
                        return try await peer.obey("history \(words.joined(separator: " "))").operations ?? []
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let contradictions = LinearizabilityChecker.contradictions(in: operations)
            #expect(contradictions.isEmpty, "HISTORY_SEED=\(seed)")
            #expect(operations.count > 1000)
            print(
                "history \(place): \(operations.count) operations on \(Set(operations.map(\.register)).count) registers"
            )
        }
    }
}
