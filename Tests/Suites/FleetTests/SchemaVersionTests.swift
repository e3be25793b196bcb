import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests servers with the schema of an earlier release, its upgrade, and the limits that version 2 added.
struct SchemaVersionTests {
    /// A server whose schema has version 1, and a person on it.
    private func earlierServer() throws -> (server: PrivatePostgres, person: PostgresFleet) {
        let server = try PrivatePostgres()
        try server.administer(try GoldenBytes.text("fleet/schema-1.sql"))
        return (server, try PostgresFleet(on: server))
    }

    private func version(_ person: PostgresFleet) throws -> Int {
        let session = try PostgresServer(address: person.address).connect(by: .patient)
        defer { session.close() }
        return session.schemaVersion
    }

    @Test("Devices use a schema of version 1, and stay connected while it is upgraded")
    func upgrade() throws {
        let (server, person) = try earlierServer()
        defer { server.end() }
        let (first, second) = (try person.firstDevice(), TestDevice())
        try first.enrol(second, at: person.address)
        let (store, other) = (first.store(), second.store())
        try store.change(sharedKey, .write([1]))
        #expect(try other.payload(sharedKey) == [1])
        #expect(try first.fleet.schemaVersion(by: .patient) == 1)

        try server.administerAlone(Fleet.schemaUpgrade)
        // The open connections of both stores.
        try store.change(sharedKey, .write([2]))
        #expect(try other.payload(sharedKey) == [2])
        // New connections compare every line of the schema with those of version 2.
        #expect(try first.fleet.schemaVersion(by: .patient) == Fleet.schemaVersions.upperBound)
        #expect(try second.store().payload(sharedKey) == [2])
    }

    @Test("An upgrade that fails, or finds another version, changes nothing")
    func failedUpgrade() throws {
        let (server, person) = try earlierServer()
        defer { server.end() }
        // The script meets this column after its first changes.
        try server.administer("ALTER TABLE sharedauth_fleet.person ADD COLUMN room text")
        #expect(throws: (any Error).self) { try server.administerAlone(Fleet.schemaUpgrade) }
        #expect(try version(person) == 1)
        try server.administer("ALTER TABLE sharedauth_fleet.person DROP COLUMN room")
        try server.administerAlone(Fleet.schemaUpgrade)
        #expect(throws: (any Error).self) { try server.administerAlone(Fleet.schemaUpgrade) }
        #expect(try version(person) == 2)
    }

    @Test("A schema of version 1 with a changed policy is refused, and named")
    func changedEarlierSchema() throws {
        let (server, person) = try earlierServer()
        defer { server.end() }
        try server.administer("ALTER POLICY own ON sharedauth_fleet.turn USING (true)")
        let error = expectFailure(\FleetError.code, .changedSchema) { _ = try version(person) }
        #expect(error?.message.contains("policy turn own") == true)
    }

    @Test("A person without room cannot store more, but can sign out and remove a device")
    func room() throws {
        let (person, neighbour) = (try PostgresFleet(), try PostgresFleet())
        let (first, second) = (try person.firstDevice(), TestDevice())
        try first.enrol(second, at: person.address)
        let store = first.store()
        let payload = try UserRecords.signedIn("alice")
        try store.change(sharedKey, .write(payload))
        try person.setRoom(
            "(SELECT sum(octet_length(body) + 64) + 8192 FROM sharedauth_fleet.header WHERE person = id)"
        )

        let large = try UserRecords.record((0..<100).map { UserRecords.account("user \($0)") })
        let error = expectFailure(\RecordStoreError.code, .full) { try store.change(sharedKey, .write(large)) }
        #expect(error?.ofFleet?.message.contains("room") == true && error?.remedy?.contains("administrator") == true)
        #expect(try store.payload(sharedKey) == payload)
        #expect(throws: (any Error).self, "turns have no end") {
            try person.server.administer(
                """
                SET SESSION AUTHORIZATION \(person.role);
                INSERT INTO sharedauth_fleet.turn (name)
                SELECT decode(lpad(to_hex(number), 64, '0'), 'hex') FROM generate_series(1, 10000) AS number;
                """
            )
        }
        try store.change(sharedKey, .write(try UserRecords.refreshed(payload)))
        #expect(try UserRecords.users(second.store().payload(sharedKey)) == ["alice": 1])
        try first.fleet.remove(try #require(try second.records.device(by: .patient)).keys.id, by: .patient)
        #expect(try store.payload(sharedKey) == nil)
        try neighbour.firstDevice().store().change(sharedKey, .write(large))
        try person.setRoom("1000000")
        try store.change(sharedKey, .write(large))
    }
}

extension PostgresFleet {
    fileprivate func setRoom(_ expression: String) throws {
        try server.administer(
            "UPDATE sharedauth_fleet.person SET room = \(expression) WHERE role = '\(role)'::regrole"
        )
    }
}
