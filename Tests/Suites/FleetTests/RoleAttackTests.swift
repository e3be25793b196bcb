import Glibc
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests devices against SQL statements of their person's role, which a removed device still has.
struct RoleAttackTests {
    /// A person's two devices with a user, and a third one that was removed.
    private func world() throws -> (person: PostgresFleet, one: TestDevice, two: TestDevice, payload: [UInt8]) {
        let person = try PostgresFleet()
        let (one, two, removed) = (try person.firstDevice(), TestDevice(), TestDevice())
        try one.enrol(two, at: person.address)
        try one.enrol(removed, named: "third", at: person.address)
        try one.fleet.remove(try #require(removed.records.device(by: .patient)?.keys.id), by: .patient)
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        #expect(try two.store().payload(sharedKey) == payload)
        return (person, one, two, payload)
    }

    /// The work that nothing in the database may stop: state, refresh, enrolment, removal, sign-out and reset.
    private func work(_ person: PostgresFleet, _ one: TestDevice, _ two: TestDevice, _ payload: [UInt8]) throws {
        #expect(try one.store().payload(sharedKey) == payload)
        let store = two.store()
        #expect(try store.payload(sharedKey) == payload)
        let turn = try store.acquire("refresh", for: sharedKey, by: .patient)
        try store.change(sharedKey, .write(try UserRecords.refreshed(payload)))
        turn.release()
        #expect(try UserRecords.users(one.store().payload(sharedKey)) == ["alice": 1])
        let third = TestDevice()
        try two.enrol(third, named: "new", at: person.address)
        #expect(try UserRecords.users(third.store().payload(sharedKey)) == ["alice": 1])
        #expect(try one.fleet.devices(by: .patient).map(\.name) == ["first", "second", "new"])
        let sessions = try one.fleet.remove(try #require(third.records.device(by: .patient)?.keys.id), by: .patient)
        #expect(sessions.map(\.uid) == ["alice"])
        expectFailure(\RecordStoreError.code, .denied) { _ = try third.store().payload(sharedKey) }
        #expect(try one.store().payload(sharedKey) == nil && two.store().payload(sharedKey) == nil)
        try two.store().change(sharedKey, .write(try UserRecords.signedIn("bob")))
        #expect(try UserRecords.users(one.store().payload(sharedKey)) == ["bob": 0])
        try one.store().change(sharedKey, .delete)
        #expect(try two.store().payload(sharedKey) == nil)
        try two.fleet.reset(at: person.address, deviceName: "second", by: .patient)
        #expect(try two.fleet.devices(by: .patient).map(\.name) == ["second"])
        let ended = expectFailure(\RecordStoreError.code, .denied) { _ = try one.store().payload(sharedKey) }
        #expect(ended?.ofFleet?.code == .reset)
        try one.fleet.leave(by: .patient)
        try two.enrol(one, named: "first", at: person.address)
        try one.store().change(sharedKey, .write(payload))
        #expect(try two.store().payload(sharedKey) == payload)
    }

    @Test("Bytes of a removed device in the list of devices stop nothing", .timeLimit(.minutes(3)))
    func headers() throws {
        let (person, one, two, payload) = try world()
        // Another fleet's first list, a list of a newer format, and one that claims to follow the present one.
        let attacker = DeviceKeys()
        let foreign = try FleetHeader.founding(by: attacker, named: "attacker")
        let present = try #require(one.records.device(by: .patient)?.header)
        let claimed = try present.admitting(NewDevice(DeviceKeys(), named: ""), by: attacker, foreign.keys).bytes
        let newer = Array("SharedAuthFleetHeader2.".utf8) + claimed.dropFirst(23)
        let next = present.number + 1
        try person.attack(
            """
            INSERT INTO sharedauth_fleet.header (number, body) VALUES (2147483647, '\\x00'), (2147483646, ''),
            (\(next), '\\x00'), (\(next + 1), '\(foreign.header.bytes.literal)'), (\(next + 2), '\(claimed.literal)'),
            (\(next + 4), '\(newer.literal)'), (\(next + 7), decode(repeat('ff', 1048576), 'hex'));
            INSERT INTO sharedauth_fleet.header (number, body) SELECT 1000 + n, '\\x' FROM generate_series(1, 2000) AS n;
            """
        )
        try work(person, one, two, payload)
    }

    @Test("Bytes of a removed device in the records stop nothing", .timeLimit(.minutes(3)))
    func records() throws {
        let (person, one, two, payload) = try world()
        try person.attack(
            """
            UPDATE sharedauth_fleet.record SET epoch = 9223372036854775807, sealed = '\\x00', exchanging = 'nobody';
            INSERT INTO sharedauth_fleet.record (name, exchanging)
            SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), 'nobody' FROM generate_series(1, 1000) AS n;
            UPDATE sharedauth_fleet.record SET epoch = 9223372036854775807,
            sealed = decode(repeat('00', CASE WHEN get_byte(name, 31) % 2 = 0 THEN 1 ELSE 1000 END), 'hex')
            WHERE sealed IS NULL;
            """
        )
        try work(person, one, two, payload)
    }

    @Test("Deleted records, and another fleet in place of this one, stop nothing", .timeLimit(.minutes(3)))
    func mimickedReset() throws {
        let (person, one, two, payload) = try world()
        let foreign = try FleetHeader.founding(by: DeviceKeys(), named: "attacker").header
        let next = try #require(one.records.device(by: .patient)?.header).number + 1
        try person.attack(
            """
            INSERT INTO sharedauth_fleet.header (number, body) VALUES (\(next), '\(foreign.bytes.literal)');
            SELECT sharedauth_fleet.delete_records();
            """
        )
        // It is told, and not heeded.
        expectFailure(\FleetError.code, .reset) { try one.fleet.checkForLaterFleet(by: .patient) }
        try work(person, one, two, payload)
    }

    @Test("A record that is held stops no sign-out, removal or reset", .timeLimit(.minutes(3)))
    func heldRecord() throws {
        let (person, one, two, payload) = try world()
        let holder = try PostgresServer(address: person.address).connect(by: .patient)
        defer { holder.close() }
        let name = try #require(try one.records.device(by: .patient)).recordName()
        try holder.begin(by: .patient)
        _ = try holder.lock(name, by: .patient)

        let store = two.store()
        try store.change(sharedKey, .delete, by: .after(.seconds(3)))
        #expect(try store.payload(sharedKey, by: .after(.seconds(3))) == nil)
        #expect(try store.status(by: .patient).fleet?.pendingSignOuts == 1)
        #expect(try one.store().payload(sharedKey) == payload)
        let removed = try #require(two.records.device(by: .patient)?.keys.id)
        let sessions = try one.fleet.remove(removed, by: .patient)
        #expect(sessions.map(\.uid) == ["alice"])
        #expect(try one.fleet.devices(by: .patient).map(\.name) == ["first"])
        try one.fleet.reset(at: person.address, deviceName: "again", by: .patient)
        let third = TestDevice()
        try one.enrol(third, named: "new", at: person.address)
        try third.store().change(sharedKey, .write(payload))
        #expect(try one.store().payload(sharedKey) == payload)
    }

    @Test("A record that grows in an open transaction stops no sign-out, removal or reset", .timeLimit(.minutes(3)))
    func growingRecord() throws {
        let (person, one, two, payload) = try world()
        // A role sets its own time limits.
        let holder = try PostgresServer(address: person.address, turnLimit: .seconds(3600)).connect(by: .patient)
        try holder.begin(by: .patient)
        try holder.grow(2000, of: 7, by: .patient)

        #expect(try one.store().payload(sharedKey) == payload)
        let turn = try one.store().acquire("refresh", for: sharedKey, by: .patient)
        try one.store().change(sharedKey, .write(try UserRecords.refreshed(payload)))
        turn.release()
        try two.store().change(sharedKey, .delete)
        #expect(try one.store().payload(sharedKey) == nil)
        try one.fleet.remove(try #require(two.records.device(by: .patient)?.keys.id), by: .patient)
        #expect(try one.fleet.devices(by: .patient).map(\.name) == ["first"])
        try one.fleet.reset(at: person.address, deviceName: "again", by: .patient)
        holder.close()
        try one.store().change(sharedKey, .write(payload))
        #expect(try one.store().payload(sharedKey) == payload)
    }

    @Test("A sign-out of a record that was held is carried out", .timeLimit(.minutes(2)))
    func heldSignOut() throws {
        let (person, one, two, _) = try world()
        let holder = try PostgresServer(address: person.address).connect(by: .patient)
        try holder.begin(by: .patient)
        let name = try #require(try one.records.device(by: .patient)).recordName()
        _ = try holder.lock(name, by: .patient)
        try two.store().change(sharedKey, .delete, by: .after(.seconds(2)))
        holder.close()
        #expect(try two.store().payload(sharedKey) == nil)
        #expect(try one.store().payload(sharedKey) == nil)
        #expect(try two.store().status(by: .patient).fleet?.pendingSignOuts == 0)
    }

    @Test("Records and lists that no schema allows are absent", .timeLimit(.minutes(2)))
    func oversized() throws {
        let server = try PrivatePostgres()
        defer { server.end() }
        try server.administer(Fleet.schema)
        let person = try PostgresFleet(on: server)
        let (one, two) = (try person.firstDevice(), TestDevice())
        try one.enrol(two, at: person.address)
        let payload = try UserRecords.signedIn("alice")
        try one.store().change(sharedKey, .write(payload))
        _ = try two.store().payload(sharedKey)
        try server.administer(
            """
            UPDATE sharedauth_fleet.person SET room = 1000000000;
            ALTER TABLE sharedauth_fleet.record DROP CONSTRAINT record_sealed_check;
            ALTER TABLE sharedauth_fleet.header DROP CONSTRAINT header_body_check;
            UPDATE sharedauth_fleet.record SET sealed = decode(repeat('00', 40000000), 'hex');
            INSERT INTO sharedauth_fleet.header (person, number, body)
            SELECT id, 9, decode(repeat('00', 40000000), 'hex') FROM sharedauth_fleet.person;
            """
        )
        try work(person, one, two, payload)
    }
}

extension PostgresFleet {
    /// Performs statements as the person's role.
    func attack(_ statements: String) throws {
        try server.administer("SET SESSION AUTHORIZATION \(role);\n\(statements)")
    }
}

extension FleetDevice {
    /// The name of the shared record.
    fileprivate func recordName() throws -> [UInt8] { try header.keys(for: keys).name(of: sharedKey) }
}

extension RecordStore {
    fileprivate func change(_ key: RecordKey, _ change: RecordChange, by deadline: Deadline) throws {
        try update(key, by: deadline) { _ in change }
    }

    fileprivate func payload(_ key: RecordKey, by deadline: Deadline) throws -> [UInt8]? {
        guard case .whole(let record) = try read(key, by: deadline) else { return nil }
        return record.payload
    }
}

extension [UInt8] {
    /// A literal of SQL for these bytes, without its quotes.
    var literal: String { "\\x" + map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
