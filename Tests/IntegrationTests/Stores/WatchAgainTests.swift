import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Watches on a keyring whose bus goes away.
struct WatchAgainTests {
    @Test("When the bus goes, every watch hears so, and a new one works once it is back, also after one that failed")
    func busGoes() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let world = try TestApp.World(keyring)
        let key = try world.key("group.example.again")
        let store = SecretServiceRecordStore(SecretService(.init(busAddress: .address(keyring.busAddress))))
        let events = (0..<2).map { _ in Recorder<RecordEvent>() }
        let watches = try events.map { events in
            try store.watch(key, by: .after(.seconds(20))) { events.record($0) }
        }
        keyring.killBus()
        for events in events { #expect(events.take { $0 == .closed } != nil) }
        #expect(throws: RecordStoreError.self) {
            _ = try store.watch(key, by: .after(.seconds(20))) { _ in }
        }

        try keyring.startBus()
        try keyring.startProvider(unlocked: true)
        let again = Recorder<RecordEvent>()
        let watch = try store.watch(key, by: .after(.seconds(20))) { again.record($0) }
        let other = SecretServiceRecordStore(SecretService(.init(busAddress: .address(keyring.busAddress))))
        try other.change(key, .write([1]))
        #expect(again.take { $0 == .changed } != nil)
        #expect(try store.record(key)?.payload == [1])
        withExtendedLifetime(watches) { watch.cancel() }
    }
}
