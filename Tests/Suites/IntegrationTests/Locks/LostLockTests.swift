import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Tests a connection that ends between read and write, which releases the lock.
struct LostLockTests {
    @Test("A write whose connection has lost the lock is not made, and a peer's write stays")
    func lost() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let world = try AppFixture(keyring)
        let proxy = try BusProxy(keyring)
        defer { proxy.close() }
        let service = SecretService(.init(busAddress: .address(proxy.address), timeout: .seconds(20)))
        let (mine, peer) = (SecretServiceRecordStore(service), keyring.makeStore())
        let key = try world.key("group.example.lost")
        try peer.update(key, by: .patient) { _ in .write(Array("first".utf8)) }
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        defer { watch.cancel() }
        let error = expectFailure(\RecordStoreError.code, .conflict) {
            try mine.update(key, by: .patient) { _ in
                proxy.cutConnections()
                #expect(events.first { $0 == .busClosed } != nil)
                // The bus has freed the name, so the peer does not have to wait.
                #expect(throws: Never.self) {
                    try peer.update(key, by: .patient) { _ in .write(Array("peer's".utf8)) }
                }
                return .write(Array("mine".utf8))
            }
        }
        #expect(error?.outcomeIsUnknown == false)
        #expect(error?.message.contains("nothing was written") == true)
        guard case .whole(let record) = try peer.read(key, by: .patient) else {
            Issue.record("no record")
            return
        }
        #expect(record.payload == Array("peer's".utf8))
        // The next change connects again and takes a new lock.
        try mine.update(key, by: .patient) { _ in .write(Array("mine".utf8)) }
    }

    @Test("A daemon that does not respond is not mistaken for a process that holds the lock")
    func stoppedDaemon() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let (store, key) = (keyring.makeStore(), try AppFixture(keyring).key(nil))
        try store.update(key, by: .patient) { _ in .write(Array("first".utf8)) }
        keyring.stopDaemon()
        let error = expectFailure(\RecordStoreError.code, .timedOut) {
            try store.update(key, by: .after(.milliseconds(300))) { _ in .delete }
        }
        #expect(error?.lockWait == nil)
        #expect(error?.message.hasPrefix("The keyring does not answer") == true, "\(error?.message ?? "")")
        keyring.continueDaemon()
    }
}
