import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests the room that a person has on a server.
struct RoomTests {
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
        for table in ["record", "turn"] {
            #expect(person.refusal(of: Self.rows(1000, of: table)) == "SA001")
        }
        try store.change(sharedKey, .write(try UserRecords.refreshed(payload)))
        #expect(try UserRecords.users(second.store().payload(sharedKey)) == ["alice": 1])
        try first.fleet.remove(try #require(try second.records.device(by: .patient)).keys.id, by: .patient)
        #expect(try store.payload(sharedKey) == nil)
        try neighbour.firstDevice().store().change(sharedKey, .write(large))
        try person.setRoom("1000000")
        try store.change(sharedKey, .write(large))
    }

    /// A statement that adds rows with different names to a table.
    private static func rows(_ count: Int, of table: String) -> String {
        """
        INSERT INTO sharedauth_fleet.\(table) (name)
        SELECT decode(lpad(to_hex(number), 64, '0'), 'hex') FROM generate_series(1, \(count)) AS number
        """
    }

    @Test("Room that a sign-out frees is free again")
    func freedRoom() throws {
        let person = try PostgresFleet()
        let store = try person.firstDevice().store()
        let payload = try UserRecords.record((0..<10).map { UserRecords.account("user \($0)") })
        try store.change(sharedKey, .write(payload))
        try person.setRoom("(SELECT 2 * used FROM sharedauth_fleet.person WHERE role_name = '\(person.role)')")
        for _ in 1...6 {
            try store.change(sharedKey, .delete)
            try store.change(sharedKey, .write(payload))
        }
    }

    @Test("Transactions at the same time take no more than the room of one")
    func transactions() throws {
        let person = try PostgresFleet()
        let megabytes = 3
        let sessions = try (0..<6).map { _ in try PostgresServer(address: person.address).connect(by: .patient) }
        var stored = 0
        var open: [any FleetSession] = []
        for (number, session) in sessions.enumerated() {
            do {
                try session.begin(by: .patient)
                for part in 0..<4 {
                    // The others wait for the first.
                    let deadline = number == 0 ? Deadline.patient : .after(.seconds(2))
                    try session.grow(megabytes << 20, of: 4 * number + part, by: deadline)
                }
                open.append(session)
            } catch {
                session.close()
            }
        }
        for session in open {
            try session.commit(by: .patient)
            session.close()
            stored += 4 * megabytes
        }
        #expect(stored == 12)
        let taken = try person.server.administer(
            """
            SELECT sum(octet_length(sealed)) FROM sharedauth_fleet.record JOIN sharedauth_fleet.person p ON p.id = person
            WHERE role = '\(person.role)'::regrole
            """
        )
        #expect(taken == String(12 << 20))
        // Nothing is open any more; the room is.
        let last = try PostgresServer(address: person.address).connect(by: .patient)
        try last.begin(by: .patient)
        try last.grow(4 << 20, of: 90, by: .patient)
        let error = expectFailure(\FleetError.code, .full) { try last.grow(1, of: 91, by: .patient) }
        #expect(error?.message.contains("SA001") == true)
        last.close()
    }

    @Test("The cost of a row does not grow with the number of rows")
    func manyRows() throws {
        let person = try PostgresFleet()
        #expect(person.refusal(of: "SET statement_timeout = '15s'; \(Self.rows(20_000, of: "record"))") == nil)
        #expect(
            person.refusal(
                of: "SET statement_timeout = '15s'; UPDATE sharedauth_fleet.record SET sealed = decode('00', 'hex')"
            ) == nil
        )
    }
}

extension FleetSession {
    /// Writes as many bytes into a record of the transaction.
    func grow(_ bytes: Int, of number: Int, by deadline: Deadline) throws(FleetError) {
        let name = [UInt8](repeating: UInt8(number), count: 32)
        _ = try lock(name, by: deadline)
        let record = ServerRecord(epoch: 1, sealed: [UInt8](repeating: 0, count: bytes))
        try write(record, named: name, by: deadline)
    }
}
