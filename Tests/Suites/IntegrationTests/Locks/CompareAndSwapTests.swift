import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

extension OneAtATime {
    /// Tests processes that write one record at the same time.
    struct CompareAndSwapTests {
        @Test("Eight processes that increment one number lose no increment", arguments: LockKind.allCases)
        func counting(lock: LockKind) async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let world = try AppFixture(keyring)
            try await count("under \(lock)", world, locking: lock.argument(in: world))
        }

        @Test("Eight processes on an encrypted-file store lose no increment")
        func files() async throws {
            try await count("on files", try AppFixture(on: .encryptedFile), locking: "automatic")
        }

        private func count(_ place: String, _ world: AppFixture, locking: String) async throws {
            let times = 25
            let began = RevisionSource.live.milliseconds
            let retries = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let peer = try await PeerProcess.started(
                            world,
                            locking: locking,
                            deadline: 30_000
                        )
                        return try await peer.obey("cas number \(times)").count ?? 0
                    }
                }
                return try await group.reduce(0, +)
            }
            let record = try world.plainRecord("number")
            #expect(record?.payload == Array("\(8 * times)".utf8))
            // The first write's counter comes from the clock, the others follow.
            let counter = try #require(record?.revision.counter)
            #expect(counter >= began + UInt64(8 * times - 1) && counter < began + 600_000)
            print("compare-and-swap \(place): \(8 * times) counts, \(retries) retries")
        }
    }
}
