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

    /// An app whose connection a proxy can cut, signed in as `x`.
    private func app(_ proxy: BusProxy, _ keyring: PrivateKeyring) async throws -> (TestApp, SecretService) {
        let service = SecretService(.init(busAddress: .address(proxy.address), timeout: .seconds(20)))
        let store = SecretServiceRecordStore(service)
        let app = try TestApp(AppFixture(keyring)) { $0.store = .custom(store) }
        try await app.signIn("x")
        return (app, service)
    }

    /// A store whose locks are lost at once.
    private struct LosingStore: ForwardingRecordStore {
        final class Lock: LosableLock {
            let isLost = true
            func release() {}
        }

        let base = InMemoryRecordStore()

        func acquire(_ name: String, for key: RecordKey, by deadline: Deadline) -> any RecordLock { Lock() }
    }

    @Test("A choice is not stored once the lock under which it was decided is lost")
    func lostTurn() throws {
        let slots = UserSlots(store: LosingStore(), appID: "com.example.Mail", project: "p", instance: "default")
        let isRun = Recorder<Bool>()
        expectFailure(\AuthError.code, .conflict) {
            try slots.inTurn(of: .own, by: .patient, reading: {}) { () throws(AuthError) in isRun.record(true) }
        }
        #expect(isRun.events.isEmpty)
    }

    @Test("Tokens are not exchanged once the turn is lost")
    func lostExchange() async throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let proxy = try BusProxy(keyring)
        defer { proxy.close() }
        let (app, service) = try await app(proxy, keyring)
        let user = try #require(app.auth.currentUser)
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        defer { watch.cancel() }
        let (turn, _) = try await ExchangeTurn.taken(for: user, in: .own, app.auth.engine, by: .patient)
        #expect(!turn.isLost)
        proxy.cutConnections()
        #expect(events.first { $0 == .busClosed } != nil)
        #expect(turn.isLost && turn.shared(atMost: .seconds(60)).isLost)
        turn.end()
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(app.identity.refreshes == 1)
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
