import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

extension OneAtATime {
    /// Many processes change one record.
    struct LoadTests {
        @Test("Sixteen processes make a hundred compare-and-swap updates each, and none is lost")
        func sixteenHundred() async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let world = try TestApp.World(keyring)
            var peers: [PeerProcess] = []
            for _ in 0..<16 { peers.append(try await PeerProcess.started(world, deadline: 60_000)) }
            let began = RevisionSource.live.milliseconds
            for peer in peers { peer.tell("add load 100") }
            for peer in peers { #expect(try await peer.answer("add").error == nil) }
            let key = RecordKey(scope: .project, project: world.project, instance: AuthApp.defaultName, kind: "load")
            let store = SecretServiceRecordStore(SecretService(.init(busAddress: .address(keyring.busAddress))))
            let record = try #require(try store.read(key, by: .after(.seconds(20))).whole)
            #expect(String(decoding: record.payload, as: UTF8.self) == "1600")
            // The first write counts from the time, 1599 follow.
            #expect(record.revision.counter >= began + 1599 && record.revision.counter < began + 1599 + 600_000)
        }
    }
}

extension StoredRecord {
    fileprivate var whole: Record? { if case .whole(let record) = self { record } else { nil } }
}
