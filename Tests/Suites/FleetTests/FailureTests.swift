import Glibc
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests servers that crash, are restored from a backup, or are replaced by a standby.
struct FailureTests {
    /// A new server, a person on it, and two devices.
    private func world() throws -> (server: PrivatePostgres, person: PostgresFleet, one: TestDevice, two: TestDevice) {
        let server = try PrivatePostgres()
        try server.administer(Fleet.schema)
        let person = try PostgresFleet(on: server)
        let (one, two) = (try person.firstDevice(), TestDevice())
        try one.enrol(two, at: person.address)
        return (server, person, one, two)
    }

    @Test(
        "While the server is down the copy is shown; after it returns, calls and watches go on",
        .timeLimit(.minutes(3))
    )
    func crash() throws {
        let (server, _, one, two) = try world()
        defer { server.end() }
        let (store, other) = (one.store(), two.store())
        try store.change(sharedKey, .write([1]))
        #expect(try other.payload(sharedKey) == [1])
        let events = Recorder<RecordEvent>()
        let watch = try other.watch(sharedKey, by: .patient) { events.record($0) }
        #expect(events.take { $0 == .changed } != nil)

        server.stop(SIGKILL)
        #expect(try store.payload(sharedKey) == [1])
        #expect(try store.status(by: .patient).fleet?.isAway == true)
        expectFailure(\RecordStoreError.code, .unavailable) { try store.change(sharedKey, .write([2])) }
        // The sign-out is made while away, and carried out by the watch.
        try other.change(sharedKey, .delete)
        #expect(try other.payload(sharedKey) == nil)

        try server.crash()
        while try store.payload(sharedKey) != nil { #expect(events.take { $0 == .changed } != nil) }
        #expect(try store.status(by: .patient).fleet?.isAway == false)
        try store.change(sharedKey, .write([3]))
        #expect(try other.payload(sharedKey) == [3])
        watch.cancel()
    }

    @Test("A restored backup gets its rotation, sign-out and removal again")
    func restoredBackup() throws {
        let (server, person, one, two) = try world()
        defer { server.end() }
        let third = TestDevice()
        try one.enrol(third, named: "third", at: person.address)
        let other = RecordKey(scope: .group("group.example.other"), project: "fleet", instance: "default", kind: "user")
        let (alice, bob) = (try UserRecords.signedIn("alice"), try UserRecords.signedIn("bob"))
        try one.store().change(sharedKey, .write(alice))
        try one.store().change(other, .write(bob))
        #expect(try two.store().payload(other) == bob)
        let backup = "\(server.directory)/backup"
        try server.run("pg_dump", ["--format=custom", "--file=\(backup)", PrivatePostgres.database])

        let rotated = try UserRecords.refreshed(alice)
        try one.store().change(sharedKey, .write(rotated))
        try one.store().change(other, .delete)
        #expect(try two.store().payload(other) == nil)
        try server.restore(backup)
        // The rotated tokens are written again, and the sign-out is made again.
        #expect(try UserRecords.users(one.store().payload(sharedKey)) == ["alice": 1])
        #expect(try UserRecords.users(two.store().payload(sharedKey)) == ["alice": 1])
        #expect(try two.store().payload(other) == nil)
        #expect(try one.store().payload(other) == nil)

        let id = try #require(try third.records.device(by: .patient)).keys.id
        try one.fleet.remove(id, by: .patient)
        try server.restore(backup)
        #expect(try one.store().payload(sharedKey) == nil)
        #expect(try two.store().payload(sharedKey) == nil)
        let error = expectFailure(\RecordStoreError.code, .denied) { _ = try third.store().payload(sharedKey) }
        #expect(error?.ofFleet?.code == .removed)
    }

    @Test("A promoted standby lacks the last change until a device writes it again")
    func failOver() throws {
        let (server, person, one, two) = try world()
        defer { server.end() }
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        let standby = try PrivatePostgres(standbyOf: server)
        defer { standby.end() }
        // The standby stops before the last change reaches it.
        standby.stop(SIGINT)
        try one.store().change(sharedKey, .write(try UserRecords.refreshed(payload)))
        server.stop(SIGKILL)
        try standby.start()
        var address = person.address
        address.host = standby.directory
        expectFailure(\FleetError.code, .readOnly) { _ = try PostgresServer(address: address).connect(by: .patient) }
        try one.move(to: standby.directory)
        let refusal = expectFailure(\RecordStoreError.code, .unavailable) {
            try one.store().change(sharedKey, .write(try UserRecords.signedIn("bob")))
        }
        #expect(refusal?.ofFleet?.code == .readOnly)
        #expect(try UserRecords.users(one.store().payload(sharedKey)) == ["alice": 1])
        for device in [one, two] { try device.move(to: "\(server.directory),\(standby.directory)") }
        #expect(try UserRecords.users(one.store().payload(sharedKey)) == ["alice": 1])
        #expect(try one.fleetStatusIsAway())
        try standby.promote()
        #expect(try UserRecords.users(one.store().payload(sharedKey)) == ["alice": 1])
        #expect(try UserRecords.users(two.store().payload(sharedKey)) == ["alice": 1])
        try two.store().change(sharedKey, .delete)
        #expect(try one.store().payload(sharedKey) == nil)
    }
}

extension TestDevice {
    /// Makes the device connect to these hosts.
    func move(to hosts: String) throws {
        try records.updateDevice(by: .patient) { stored in
            var device = stored
            device?.address.host = hosts
            return device
        }
    }

    fileprivate func fleetStatusIsAway() throws -> Bool {
        let store = store()
        _ = try store.payload(sharedKey)
        return try store.status(by: .patient).fleet?.isAway == true
    }
}

extension PrivatePostgres {
    /// Replaces the database by a backup, as an administrator would.
    fileprivate func restore(_ backup: String) throws {
        try administerAlone("DROP DATABASE \(Self.database) WITH (FORCE)", in: "postgres")
        try administerAlone("CREATE DATABASE \(Self.database)", in: "postgres")
        try run("pg_restore", ["--exit-on-error", "--dbname=\(Self.database)", backup])
    }
}
