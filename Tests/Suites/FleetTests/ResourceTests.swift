import Glibc
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests servers that have run out of disk or of connections.
struct ResourceTests {
    @Test(
        "A full disk refuses a change; a sign-out is carried out when there is room",
        .enabled(if: geteuid() == 0, "only root can mount a small disk"),
        .timeLimit(.minutes(3))
    )
    func fullDisk() throws {
        let server = try PrivatePostgres(diskSize: 16)
        defer { server.end() }
        try server.administer(Fleet.schema)
        let person = try PostgresFleet(on: server)
        let (one, two) = (try person.firstDevice(), TestDevice())
        try one.enrol(two, at: person.address)
        let store = one.store()
        let payload = try UserRecords.signedIn("alice")
        try store.change(sharedKey, .write(payload))
        try server.fillDisk()

        // Longer than the free parts of the table's pages.
        let large = try UserRecords.record((0..<1000).map { UserRecords.account("user \($0)") })
        let error = expectFailure(\RecordStoreError.code, .full) { try store.change(sharedKey, .write(large)) }
        #expect(error?.ofFleet?.code == .full && error?.message.contains("53100") == true)
        #expect(try store.payload(sharedKey) == payload)
        #expect(try two.store().payload(sharedKey) == payload)
        try store.change(sharedKey, .delete)
        #expect(try store.payload(sharedKey) == nil)

        try server.emptyDisk()
        #expect(try store.payload(sharedKey) == nil)
        #expect(try two.store().payload(sharedKey) == nil)
        try store.change(sharedKey, .write(large))
        #expect(try two.store().payload(sharedKey) == large)
    }

    @Test("Without a free connection the copy is shown, and a sign-out carried out later", .timeLimit(.minutes(3)))
    func noConnection() throws {
        let server = try PrivatePostgres(settings: ["max_connections = 8", "superuser_reserved_connections = 3"])
        defer { server.end() }
        try server.administer(Fleet.schema)
        let person = try PostgresFleet(on: server)
        let (one, two) = (try person.firstDevice(), TestDevice())
        try one.enrol(two, at: person.address)
        try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))

        var sessions: [any FleetSession] = []
        var refusal: FleetError?
        while refusal == nil, sessions.count < 8 {
            do throws(FleetError) {
                sessions.append(try PostgresServer(address: person.address).connect(by: .patient))
            } catch {
                refusal = error
            }
        }
        #expect(refusal?.code == .away && refusal?.message.contains("53300") == true)
        #expect(refusal?.remedy?.contains("max_connections") == true)
        let store = one.store()
        #expect(try UserRecords.users(store.payload(sharedKey)) == ["alice": 0])
        #expect(try store.status(by: .patient).fleet?.isAway == true)
        let error = expectFailure(\RecordStoreError.code, .unavailable) {
            try store.change(sharedKey, .write(try UserRecords.signedIn("bob")))
        }
        #expect(error?.ofFleet?.code == .needsServer && error?.message.contains("53300") == true)
        expectFailure(\RecordStoreError.code, .unavailable) {
            _ = try store.acquire("refresh", for: sharedKey, by: .patient)
        }
        try store.change(sharedKey, .delete)
        #expect(try store.payload(sharedKey) == nil)
        let events = Recorder<RecordEvent>()
        let watch = try store.watch(sharedKey, by: .patient) { events.record($0) }
        for session in sessions { session.close() }
        while try store.status(by: .patient).fleet?.isAway == true { #expect(events.take { $0 == .changed } != nil) }
        #expect(try two.store().payload(sharedKey) == nil)
        watch.cancel()
    }
}
