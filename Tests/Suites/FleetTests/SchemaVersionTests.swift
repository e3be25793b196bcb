import DesktopSupport
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests servers with the schema of the release before, and its upgrade.
struct SchemaVersionTests {
    /// A server whose schema has version 2, and a person on it.
    private func earlierServer(settings: [String] = []) throws -> (server: PrivatePostgres, person: PostgresFleet) {
        let server = try PrivatePostgres(settings: settings)
        try server.administer(try GoldenBytes.text("fleet/schema-2.sql"))
        return (server, try PostgresFleet(on: server))
    }

    private func version(_ person: PostgresFleet) throws -> Int {
        let session = try PostgresServer(address: person.address).connect(by: .patient)
        defer { session.close() }
        return session.schemaVersion
    }

    @Test("Devices use a schema of version 2, and stay connected while it is upgraded", .timeLimit(.minutes(2)))
    func upgrade() throws {
        let (server, person) = try earlierServer()
        defer { server.end() }
        let (first, second, neighbour) = (try person.firstDevice(), TestDevice(), try PostgresFleet(on: server))
        try first.enrol(second, at: person.address)
        let (store, other) = (first.store(), second.store())
        try store.change(sharedKey, .write([1]))
        #expect(try other.payload(sharedKey) == [1])
        #expect(try first.fleet.schemaVersion(by: .patient) == 2)
        let (watching, events) = (second.store(), Recorder<RecordEvent>())
        let watch = try watching.watch(sharedKey, by: .patient) { events.record($0) }
        #expect(events.take { $0 == .changed } != nil)
        let earlier = try PostgresServer(address: person.address).connect(by: .patient)
        defer { earlier.close() }
        // A role that was dropped, and a new one of its name.
        try server.administer(
            "DROP ROLE \(neighbour.role); CREATE ROLE \(neighbour.role) LOGIN IN ROLE sharedauth_person"
        )

        try server.upgrade()
        // The open connections of the stores, and of the watch.
        try store.change(sharedKey, .write([2]))
        #expect(try other.payload(sharedKey) == [2])
        while try watching.payload(sharedKey) != [2] { #expect(events.take { $0 == .changed } != nil) }
        watch.cancel()
        // New connections compare every line of the schema with those of version 3.
        #expect(try first.fleet.schemaVersion(by: .patient) == 3 && Fleet.schemaVersions == 2...3)
        #expect(try second.store().payload(sharedKey) == [2])
        try earlier.begin(by: .patient)
        try earlier.deleteRecords(by: .patient)
        try earlier.commit(by: .patient)
        #expect(try server.administer("SELECT count(*) FROM sharedauth_fleet.record") == "0")
        expectFailure(\FleetError.code, .noPerson) { _ = try version(neighbour) }
        #expect(
            try server.administer("SELECT role_name FROM sharedauth_fleet.person ORDER BY id") == "\(person.role)\n"
        )
    }

    @Test("On schema version 2, the room is limited, and reset deletes records")
    func earlierSchema() throws {
        let (server, person) = try earlierServer()
        defer { server.end() }
        let device = try person.firstDevice()
        try device.store().change(sharedKey, .write([1]))
        try server.administer("UPDATE sharedauth_fleet.person SET room = 0")
        let large = try UserRecords.record((0..<100).map { UserRecords.account("user \($0)") })
        let error = expectFailure(\RecordStoreError.code, .full) { try device.store().change(sharedKey, .write(large)) }
        #expect(error?.remedy?.contains("the person's room") == true)
        try server.administer("UPDATE sharedauth_fleet.person SET room = 100000")
        try device.fleet.reset(at: person.address, deviceName: "again", by: .patient)
        #expect(try server.administer("SELECT count(*) FROM sharedauth_fleet.record") == "0")
    }

    @Test("An upgraded schema is the shipped one, even if all tables are published")
    func upgraded() throws {
        let (server, person) = try earlierServer(settings: ["wal_level = logical"])
        defer { server.end() }
        try server.administer("CREATE PUBLICATION everything FOR ALL TABLES")
        try server.upgrade()
        #expect(try version(person) == 3)
        try server.administerAlone("CREATE DATABASE shipped", in: "postgres")
        try server.administer(Fleet.schema, in: "shipped")
        #expect(try server.administer(Self.catalog) == server.administer(Self.catalog, in: "shipped"))
    }

    /// Every column, constraint, index, trigger, function and right of the schema and its database.
    private static let catalog = """
        SELECT format('%s.%s %s %s %s %s', c.relname, attname, format_type(atttypid, atttypmod), attnotnull,
        attidentity, pg_get_expr(adbin, adrelid)) AS line FROM pg_attribute a
        JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef d ON (adrelid, adnum) = (attrelid, attnum)
        WHERE relnamespace = 'sharedauth_fleet'::regnamespace AND relkind = 'r' AND attnum > 0
        UNION ALL SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
        FROM pg_constraint WHERE connamespace = 'sharedauth_fleet'::regnamespace
        UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'sharedauth_fleet'
        UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
        WHERE relnamespace = 'sharedauth_fleet'::regnamespace AND NOT tgisinternal
        UNION ALL SELECT concat(pg_get_functiondef(oid), ' ', proacl) FROM pg_proc
        WHERE pronamespace = 'sharedauth_fleet'::regnamespace
        UNION ALL SELECT concat(relname, ' ', ARRAY(SELECT unnest(relacl)::text ORDER BY 1)) FROM pg_class
        WHERE relnamespace = 'sharedauth_fleet'::regnamespace AND relkind = 'r'
        UNION ALL SELECT concat(attrelid::regclass, '.', attname, ' ', attacl) FROM pg_attribute
        WHERE attacl IS NOT NULL AND attrelid::regclass::text LIKE 'sharedauth_fleet.%'
        UNION ALL SELECT concat('temporary ', has_database_privilege('sharedauth_person', current_database(), 'TEMP'))
        ORDER BY line
        """

    @Test("An upgrade waits for a turn, and devices go on meanwhile", .timeLimit(.minutes(3)))
    func waitingUpgrade() throws {
        let (server, person) = try earlierServer()
        defer { server.end() }
        let device = try person.firstDevice()
        let holder = try PostgresServer(address: person.address).connect(by: .patient)
        try holder.begin(by: .patient)
        try holder.lockTurn([UInt8](repeating: 1, count: 32), by: .patient)
        let outcomes = Recorder<String>()
        startThread(named: "upgrade") {
            do {
                try server.upgrade()
                outcomes.record("")
            } catch {
                outcomes.record("\(error)")
            }
        }
        for value in 1...2 as ClosedRange<UInt8> {
            // The script waits for a lock, and what comes later waits behind it.
            while try server.administer("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)") != "t" {}
            try device.store().update(sharedKey, by: .after(.seconds(5))) { _ in .write([value]) }
            #expect(try device.store().payload(sharedKey) == [value])
        }
        #expect(outcomes.events.isEmpty)
        holder.close()
        #expect(outcomes.first { _ in true } == "")
        #expect(try version(person) == 3)
        #expect(try device.store().payload(sharedKey) == [2])
    }

    @Test("An upgrade that fails, or finds another version, changes nothing")
    func failedUpgrade() throws {
        let (server, person) = try earlierServer()
        defer { server.end() }
        // The script meets this function after its first changes.
        try server.administer(
            "CREATE FUNCTION sharedauth_fleet.delete_records() RETURNS integer LANGUAGE sql AS 'SELECT 1'"
        )
        #expect(throws: (any Error).self) { try server.upgrade() }
        try server.administer("DROP FUNCTION sharedauth_fleet.delete_records()")
        #expect(try version(person) == 2)
        try server.upgrade()
        #expect(throws: (any Error).self) { try server.upgrade() }
        #expect(try version(person) == 3)
    }

    @Test("A schema of version 2 with a changed policy is refused, and named")
    func changedEarlierSchema() throws {
        let (server, person) = try earlierServer()
        defer { server.end() }
        try server.administer("ALTER POLICY own ON sharedauth_fleet.turn USING (true)")
        let error = expectFailure(\FleetError.code, .changedSchema) { _ = try version(person) }
        #expect(error?.message.contains("policy turn own") == true)
    }
}

extension PrivatePostgres {
    /// Runs the script of an upgrade as the article says.
    fileprivate func upgrade() throws {
        let script = "\(directory)/upgrade.sql"
        try perform(["tee", script], input: Fleet.schemaUpgrade)
        try run(
            "psql",
            ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--file=\(script)", Self.database]
        )
    }
}
