import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests shared records on a real server.
struct ServerTests {
    @Test("Another device reads a record, which the server stores sealed")
    func sharing() throws {
        let person = try PostgresFleet()
        let (first, second) = (try person.firstDevice(), TestDevice())
        try first.enrol(second, at: person.address)
        try first.store().change(sharedKey, .write(Array("secret text".utf8)))
        #expect(try second.store().payload(sharedKey) == Array("secret text".utf8))
        try second.store().change(sharedKey, .delete)
        #expect(try first.store().payload(sharedKey) == nil)
        let dump = try person.server.run("pg_dump", ["--inserts", PrivatePostgres.database])
        #expect(!dump.contains("secret") && !dump.contains("group.example") && !dump.contains("first"))
    }

    @Test("Persons do not see each other's data; a renamed role keeps its data")
    func people() throws {
        let (alice, bob) = (try PostgresFleet(), try PostgresFleet())
        let device = try alice.firstDevice()
        try device.store().change(sharedKey, .write([1]))
        let seen = try bob.server.administer(
            """
            SET SESSION AUTHORIZATION \(bob.role);
            UPDATE sharedauth_fleet.record SET sealed = 'x';
            SELECT count(*) FROM sharedauth_fleet.record;
            SELECT count(*) FROM sharedauth_fleet.header;
            SELECT count(*) FROM sharedauth_fleet.person;
            """
        )
        #expect(seen == "0\n0\n1")
        #expect(throws: (any Error).self) {
            try bob.server.administer(
                """
                SET SESSION AUTHORIZATION \(bob.role);
                INSERT INTO sharedauth_fleet.header (person, number, body)
                SELECT id + 0, 9, 'x' FROM generate_series(1, 1000) AS id;
                """
            )
        }
        #expect(try device.store().payload(sharedKey) == [1])
        try alice.server.administer(
            """
            ALTER ROLE \(alice.role) RENAME TO \(alice.role)_married;
            UPDATE sharedauth_fleet.person SET role_name = '\(alice.role)_married' WHERE role_name = '\(alice.role)';
            """
        )
        try device.records.updateDevice(by: .patient) { stored in
            var device = stored
            device?.address.role = "\(alice.role)_married"
            return device
        }
        #expect(try device.store().payload(sharedKey) == [1])
    }

    @Test("A watch reports a change by another device", .timeLimit(.minutes(2)))
    func watching() throws {
        let person = try PostgresFleet()
        let (first, second) = (try person.firstDevice(), TestDevice())
        try first.enrol(second, at: person.address)
        let (store, events) = (second.store(), Recorder<RecordEvent>())
        let watch = try store.watch(sharedKey, by: .patient) { events.record($0) }
        // The first event tells that the listener has begun.
        #expect(events.take { $0 == .changed } != nil)
        try first.store().change(sharedKey, .write([7]))
        while try second.local.payload(second.records.copyKey(of: sharedKey)) == nil
            || (try second.records.copy(of: sharedKey, by: .patient).state.shown?.payload) != [7]
        {
            #expect(events.take { $0 == .changed } != nil)
        }
        watch.cancel()
    }

    @Test("Processes of two devices that increment one number lose no increment")
    func counting() async throws {
        let person = try PostgresFleet()
        let (first, second) = (try person.firstDevice(), TestDevice())
        try first.enrol(second, at: person.address)
        let stores = [first.store(), first.store(), second.store(), second.store()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                group.addTask {
                    for _ in 0..<10 {
                        try store.update(sharedKey, by: .patient) { stored in
                            guard case .whole(let record) = stored else { return .write([1]) }
                            return .write([record.payload[0] + 1])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try first.store().payload(sharedKey) == [40])
    }

    @Test("An idle holder loses its turn; its tokens are not exchanged elsewhere")
    func fencing() throws {
        let person = try PostgresFleet()
        let (first, second) = (try person.firstDevice(turnLimit: .milliseconds(700)), TestDevice())
        try first.enrol(second, at: person.address)
        let payload = try UserRecords.signedIn("alice")
        let stopped = first.store()
        try stopped.change(sharedKey, .write(payload))
        let lock = try stopped.acquire("refresh", for: sharedKey, by: .patient)
        // This waits until the server has ended the holder's transaction.
        let error = expectFailure(\RecordStoreError.code, .timedOut) {
            _ = try second.store().acquire("refresh", for: sharedKey, by: .patient)
        }
        #expect(error?.ofFleet?.code == .exchangeInterrupted)
        // The holder wakes up with the new tokens; the record has still those that it exchanged.
        try stopped.change(sharedKey, .write(try UserRecords.refreshed(payload)))
        lock.release()
        try second.store().acquire("refresh", for: sharedKey, by: .patient).release()
        #expect(try UserRecords.users(second.store().payload(sharedKey)) == ["alice": 1])
    }

    @Test("Sign-outs and changes without tokens neither wait for a turn nor end it")
    func signOutInTurn() throws {
        let person = try PostgresFleet()
        let (first, second) = (try person.firstDevice(), TestDevice())
        try first.enrol(second, at: person.address)
        let payload = try UserRecords.record([UserRecords.account("alice"), UserRecords.account("bob")])
        let store = first.store()
        try store.change(sharedKey, .write(payload))
        let lock = try store.acquire("refresh", for: sharedKey, by: .patient)
        // By another device, and by the holder.
        try second.store().change(sharedKey, .write(try #require(try UserRecords.without("bob", in: payload))))
        try store.change(sharedKey, .delete)
        let error = expectFailure(\RecordStoreError.code, .timedOut) {
            _ = try second.store().acquire("refresh", for: sharedKey, by: .after(.seconds(3)))
        }
        #expect(error?.ofFleet?.code == .conflict)
        lock.release()
        #expect(try second.store().payload(sharedKey) == nil)
        try second.store().acquire("refresh", for: sharedKey, by: .patient).release()
    }

    @Test("A removed device is refused, all are signed out, and keys are new")
    func removing() throws {
        let person = try PostgresFleet()
        let (first, second) = (try person.firstDevice(), TestDevice())
        try first.enrol(second, at: person.address)
        try second.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        #expect(try UserRecords.users(first.store().payload(sharedKey)) == ["alice": 0])
        let id = try #require(try first.fleet.devices(by: .patient).first { !$0.isThisDevice }).id
        try first.fleet.remove(id, by: .patient)
        #expect(try first.store().payload(sharedKey) == nil)
        let error = expectFailure(\RecordStoreError.code, .denied) { _ = try second.store().payload(sharedKey) }
        #expect(error?.ofFleet?.code == .removed)
        try first.store().change(sharedKey, .write(try UserRecords.signedIn("bob")))
        #expect(try first.fleet.devices(by: .patient).map(\.name) == ["first"])
        try second.fleet.leave(by: .patient)
        try first.enrol(second, named: "again", at: person.address)
        #expect(try UserRecords.users(second.store().payload(sharedKey)) == ["bob": 0])
    }
}
