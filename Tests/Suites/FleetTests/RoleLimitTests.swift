import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests what one person's role can take from other people on the server.
struct RoleLimitTests {
    private static let tables = ["device", "header", "person", "record", "schema_version", "turn"]

    @Test("No role locks a table, or changes more than the columns that a device writes")
    func rights() throws {
        let person = try PostgresFleet()
        try person.firstDevice().store().change(sharedKey, .write([1]))
        let modes = [
            "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE",
            "ACCESS EXCLUSIVE",
        ]
        for table in Self.tables {
            let locks = modes.map { "BEGIN; LOCK TABLE sharedauth_fleet.\(table) IN \($0) MODE" }
            for statement in locks + ["DELETE FROM sharedauth_fleet.\(table)", "TRUNCATE sharedauth_fleet.\(table)"] {
                #expect(person.refusal(of: statement) == "42501", "\(statement)")
            }
        }
        for statement in [
            "UPDATE sharedauth_fleet.record SET person = person", "UPDATE sharedauth_fleet.record SET name = name",
            "INSERT INTO sharedauth_fleet.record (name, sealed) VALUES ('', '')",
            "UPDATE sharedauth_fleet.header SET body = body", "UPDATE sharedauth_fleet.person SET room = room",
            "SELECT FROM sharedauth_fleet.header FOR UPDATE", "SELECT FROM sharedauth_fleet.person FOR UPDATE",
            "UPDATE sharedauth_fleet.device SET removed = NULL", "UPDATE sharedauth_fleet.device SET id = 'x'",
            "INSERT INTO sharedauth_fleet.device (person, role) SELECT id, session_user::regrole FROM sharedauth_fleet.person",
            "INSERT INTO sharedauth_fleet.header (number, body, role) VALUES (9, '', 'other')",
            "INSERT INTO sharedauth_fleet.header (number, body, ordinal) VALUES (9, '', 1)",
            "UPDATE sharedauth_fleet.header SET role = 'other'", "SELECT nextval('sharedauth_fleet.header_ordinal')",
            "SELECT FROM sharedauth_fleet.device FOR UPDATE",
            "CREATE TEMPORARY TABLE mine (number integer)", "CREATE TABLE public.mine (number integer)",
            "CREATE SCHEMA mine",
        ] {
            #expect(person.refusal(of: statement) == "42501", "\(statement)")
        }
    }

    @Test("No role runs the schema's functions in triggers of its own, for other people")
    func functions() throws {
        let person = try PostgresFleet()
        try person.server.administer("CREATE SCHEMA AUTHORIZATION \(person.role)")
        for name in ["announce", "limit_lists", "limit_room", "limit_rows", "note_role"] {
            let refusal = person.refusal(
                of: "CREATE TABLE \(person.role).\(name) (person bigint)",
                """
                CREATE TRIGGER more AFTER INSERT ON \(person.role).\(name)
                FOR EACH ROW EXECUTE FUNCTION sharedauth_fleet.\(name)()
                """
            )
            #expect(refusal == "42501", "\(name)")
        }
    }

    @Test("A person deletes the records of nobody else")
    func deletion() throws {
        let (person, neighbour) = (try PostgresFleet(), try PostgresFleet())
        for fleet in [person, neighbour] { try fleet.firstDevice().store().change(sharedKey, .write([1])) }
        #expect(person.refusal(of: "SELECT sharedauth_fleet.delete_records()") == nil)
        let left = try person.server.administer(
            """
            SELECT role_name FROM sharedauth_fleet.record JOIN sharedauth_fleet.person p ON p.id = person
            WHERE role_name IN ('\(person.role)', '\(neighbour.role)')
            """
        )
        #expect(left == neighbour.role)
    }

    @Test("If the server has no memory left for locks, a device says so")
    func lockTable() throws {
        let server = try PrivatePostgres(settings: ["max_locks_per_transaction = 10", "max_connections = 10"])
        defer { server.end() }
        try server.administer(Fleet.schema)
        let (attacker, person) = (try PostgresFleet(on: server), try PostgresFleet(on: server))
        let device = try person.firstDevice()
        try device.store().change(sharedKey, .write([1]))
        let holder = try PostgresServer(address: attacker.address).session(by: .patient)
        defer { holder.close() }
        try holder.connection.perform(
            """
            DO $$
            BEGIN
                FOR number IN 1..1000000 LOOP
                    PERFORM pg_advisory_lock(number);
                END LOOP;
            EXCEPTION WHEN out_of_memory THEN
                NULL;
            END
            $$
            """,
            by: .patient
        )
        let error = expectFailure(\FleetError.code, .full) { _ = try device.fleet.devices(by: .patient) }
        #expect(error?.message.contains("locks") == true && error?.remedy?.contains("pg_locks") == true)
        #expect(try device.store().payload(sharedKey) == [1])
    }

    @Test("The limits of the server are not told as the person's room")
    func states() {
        for (state, words) in ["54000": "pg_notification_queue_usage()", "53200": "pg_locks", "53100": "make room"] {
            let error = FleetError(state: state)
            #expect(error.code == .full && error.remedy?.contains(words) == true)
            #expect(!error.message.contains("person"))
        }
        for state in ["40P01", "40001"] { #expect(FleetError(state: state).code == .conflict) }
    }
}
