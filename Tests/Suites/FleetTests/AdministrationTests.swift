import Foundation
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests what the article tells the administrator to type, on real servers.
struct AdministrationTests {
    private func world() throws -> (server: PrivatePostgres, person: PostgresFleet, device: TestDevice) {
        let server = try PrivatePostgres()
        try server.administer(Fleet.schema)
        let person = try PostgresFleet(on: server)
        let device = try person.firstDevice()
        try device.store().change(sharedKey, .write([1]))
        return (server, person, device)
    }

    @Test("A person who leaves leaves nothing, and open sessions end")
    func leaving() throws {
        let (server, person, device) = try world()
        defer { server.end() }
        let session = try PostgresServer(address: person.address).connect(by: .patient)
        defer { session.close() }
        try server.administer(try Article.statements("DROP ROLE", for: person.role))
        expectFailure(\FleetError.code, .away) { _ = try session.lastHeader(by: .patient) }
        let left = try server.administer(
            """
            SELECT count(*) FROM sharedauth_fleet.person; SELECT count(*) FROM sharedauth_fleet.header;
            SELECT count(*) FROM sharedauth_fleet.record; SELECT count(*) FROM pg_roles WHERE rolname = '\(person.role)';
            """
        )
        #expect(left == "0\n0\n0\n0")
        let store = device.store()
        #expect(try store.payload(sharedKey) == [1])
        #expect(try store.status(by: .patient).fleet?.isAway == true)
        // A later person of this name begins anew.
        try server.administer(try Article.statements("CREATE ROLE alice LOGIN", for: person.role))
        #expect(try person.firstDevice().store().payload(sharedKey) == nil)
    }

    @Test("A role for each device is made, limited, renamed and removed as in the article")
    func deviceRoles() throws {
        let server = try PrivatePostgres()
        defer { server.end() }
        try server.administer(Fleet.schema)
        let (name, laptop, desktop, renamed) = (server.newRole(), server.newRole(), server.newRole(), server.newRole())
        func statements(_ words: String, device: String) throws -> String {
            try Article.statements(words, for: name, device: device)
        }
        let making = try statements("CREATE ROLE alice;", device: laptop)
        try server.administer(making)
        let device = try #require(making.firstRange(of: "CREATE ROLE \(laptop)"))
        try server.administer(String(making[device.lowerBound...]).replacing(laptop, with: desktop))
        let person = PostgresFleet(of: name, on: server)
        func address(_ role: String) -> ServerAddress {
            var address = person.address
            address.role = role
            return address
        }
        #expect(person.refusal(of: "SELECT 1") != nil)
        let (one, two) = (TestDevice(), TestDevice())
        try one.fleet.begin(at: address(laptop), deviceName: "laptop", by: .patient)
        try one.enrol(two, at: address(desktop))
        try one.store().change(sharedKey, .write([1]))
        #expect(try two.store().payload(sharedKey) == [1])
        let three = TestDevice()
        try two.enrol(three, at: address(laptop))
        try server.administer(try statements("room = 33554432", device: laptop))

        try server.administer("ALTER ROLE \(desktop) RENAME TO \(renamed)")
        #expect(try person.visibleRows(as: renamed) == "0\n0\n0")
        try server.administer("ALTER ROLE \(renamed) RENAME TO \(desktop)")
        try server.administer(
            try Article.statements("RENAME TO", for: desktop).replacing("alice_b", with: renamed)
        )
        #expect(try person.visibleRows(as: renamed).hasPrefix("1\n"))

        // A role that is in use keeps its lists; a withdrawn one does not.
        let cleaning = try statements("DELETE FROM sharedauth_fleet.header", device: renamed)
        let count = "SELECT count(*) FROM sharedauth_fleet.header WHERE role = '\(renamed)'"
        try server.administer(cleaning)
        #expect(try server.administer(count) != "0")
        try one.fleet.remove(try two.id, by: .patient)
        try server.administer(cleaning)
        #expect(try server.administer(count) == "0")
        try one.fleet.remove(try three.id, by: .patient)
        #expect(try one.fleet.devices(by: .patient).map(\.name) == ["laptop"])

        try server.administer(try statements("DROP ROLE", device: laptop))
        #expect(
            try server.administer(
                """
                SELECT count(*) FROM sharedauth_fleet.person; SELECT count(*) FROM sharedauth_fleet.device;
                SELECT count(*) FROM sharedauth_fleet.header;
                SELECT count(*) FROM pg_roles WHERE rolname IN ('\(name)', '\(laptop)', '\(renamed)');
                """
            ) == "0\n0\n0\n0"
        )
    }

    @Test("Each block of SQL in the article is one that a test runs")
    func blocks() throws {
        let words = [
            "CREATE ROLE alice;", "CREATE ROLE alice LOGIN", "RENAME TO", "room = 33554432", "DROP ROLE",
            "PASSWORD NULL",
            "SET removed = NULL", "SET id = NULL", "DELETE FROM sharedauth_fleet.header", "pg_proc",
            "pg_notification_queue_usage()", "interval",
        ]
        let found = try words.map { try Article.blocks($0) }
        #expect(found.allSatisfy { $0.count == 1 })
        #expect(try Set(found.joined()).count == words.count && Article.blocks(" ").count == words.count)
    }

    @Test("A role that is dropped and made again is nobody, and neither is a renamed one")
    func sameName() throws {
        let (server, person, device) = try world()
        defer { server.end() }
        try server.administer("DROP ROLE \(person.role); CREATE ROLE \(person.role) LOGIN IN ROLE sharedauth_person")
        expectFailure(\FleetError.code, .noPerson) { _ = try device.fleet.devices(by: .patient) }
        #expect(try person.visibleRows() == "0\n0\n0")
        try server.administer("UPDATE sharedauth_fleet.person SET role = '\(person.role)'")
        #expect(try person.visibleRows() == "1\n1\n1")
        let other = server.newRole()
        try server.administer("ALTER ROLE \(person.role) RENAME TO \(other)")
        #expect(try person.visibleRows(as: other) == "0\n0\n0")
        try server.administer("ALTER ROLE \(other) RENAME TO \(person.role)")
        try server.administer(
            try Article.statements("RENAME TO", for: person.role).replacing("alice_b", with: other)
        )
        #expect(try person.visibleRows(as: other) == "1\n1\n1")
    }

    @Test("A backup restored in another cluster gives nobody another's data")
    func restoring() throws {
        let (server, person, device) = try world()
        defer { server.end() }
        // Someone whose role was dropped, against the article.
        let departed = try PostgresFleet(on: server)
        try departed.firstDevice().store().change(sharedKey, .write([2]))
        let identity = try #require(
            Int(try server.administer("SELECT oid FROM pg_roles WHERE rolname = '\(departed.role)'"))
        )
        try server.administer("DROP ROLE \(departed.role)")

        let cluster = try PrivatePostgres()
        defer { cluster.end() }
        try cluster.administerAlone("DROP DATABASE \(PrivatePostgres.database)", in: "postgres")
        // Roles of that cluster, up to the identity before the departed one's.
        try cluster.administer(
            """
            DO $$
            BEGIN
                FOR number IN 1..100000 LOOP
                    EXECUTE format('CREATE ROLE filler_%s', number);
                    EXIT WHEN (SELECT max(oid::bigint) FROM pg_roles) >= \(identity - 20);
                END LOOP;
            END
            $$
            """,
            in: "postgres"
        )
        let (roles, dump) = ("\(server.directory)/roles.sql", "\(server.directory)/fleet.dump")
        let backup = try Article.commands("pg_dumpall")
        #expect(backup.count == 2)
        for command in backup { try server.runLine(command, files: ["roles.sql": roles, "fleet.dump": dump]) }
        let restore = try Article.commands("pg_restore")
        #expect(restore.count == 2)
        try cluster.runLine(restore[0], files: ["roles.sql": roles, "fleet.dump": dump])
        // The next role gets the departed one's identity.
        var later = ""
        let latest = "SELECT max(oid::bigint) FROM pg_roles"
        while try #require(Int(cluster.administer(latest, in: "postgres"))) < identity {
            later = cluster.newRole()
            while later == person.role || later == departed.role { later = cluster.newRole() }
            try cluster.administer("CREATE ROLE \(later) LOGIN IN ROLE sharedauth_person", in: "postgres")
        }
        #expect(
            try cluster.administer("SELECT oid FROM pg_roles WHERE rolname = '\(later)'", in: "postgres")
                == String(identity)
        )
        try cluster.runLine(restore[1], files: ["roles.sql": roles, "fleet.dump": dump])

        #expect(
            try cluster.administer("SELECT role, role_name FROM sharedauth_fleet.person ORDER BY id")
                == "\(person.role)|\(person.role)\n\(later)|\(departed.role)"
        )
        #expect(try PostgresFleet(of: later, on: cluster).visibleRows() == "0\n0\n0")
        try device.move(to: cluster.directory)
        #expect(try device.store().payload(sharedKey) == [1])
        try device.store().change(sharedKey, .write([3]))
        #expect(try device.store().payload(sharedKey) == [3])
        #expect(
            PostgresFleet(of: person.role, on: cluster).refusal(of: "CREATE TEMPORARY TABLE mine ()") == "42501"
        )
    }

    @Test("The functions that can be taken from all roles are not needed by devices")
    func functions() throws {
        let server = try PrivatePostgres()
        defer { server.end() }
        // An owner who is no superuser.
        let commands = try Article.commands("createuser")
        #expect(commands.count == 4 && commands[3].contains("sharedauth fleet schema"))
        for command in commands.prefix(2) { try server.runLine(command) }
        try server.administer("ALTER DATABASE \(PrivatePostgres.database) OWNER TO owner")
        try server.administer("SET SESSION AUTHORIZATION owner;\n\(Fleet.schema)")
        let person = try PostgresFleet(on: server)
        let statements = [
            "SELECT pg_advisory_lock(1)", "SELECT pg_try_advisory_xact_lock_shared(1, 2)", "SELECT lo_create(0)",
            "SELECT lo_from_bytea(0, '')", "SELECT pg_notify('channel', '')",
        ]
        for statement in statements { #expect(person.refusal(of: statement) == nil, "\(statement)") }
        try server.administer(try Article.statements("pg_proc", for: person.role))
        for statement in statements { #expect(person.refusal(of: statement) == "42501", "\(statement)") }

        let (first, second) = (try person.firstDevice(), TestDevice())
        try first.enrol(second, at: person.address)
        let (store, events) = (second.store(), Recorder<RecordEvent>())
        let watch = try store.watch(sharedKey, by: .patient) { events.record($0) }
        #expect(events.take { $0 == .changed } != nil)
        let turn = try first.store().acquire("refresh", for: sharedKey, by: .patient)
        try first.store().change(sharedKey, .write([7]))
        turn.release()
        while try store.payload(sharedKey) != [7] { #expect(events.take { $0 == .changed } != nil) }
        watch.cancel()
    }

    @Test("A withdrawn device keeps no session, no password and no setting")
    func withdrawing() throws {
        let (server, person, _) = try world()
        defer { server.end() }
        let session = try PostgresServer(address: person.address).connect(by: .patient)
        defer { session.close() }
        try person.attack(
            """
            ALTER ROLE \(person.role) PASSWORD 'planted';
            ALTER ROLE \(person.role) SET work_mem = '1GB';
            ALTER ROLE \(person.role) IN DATABASE \(PrivatePostgres.database) SET work_mem = '2GB';
            """
        )
        let planted = """
            SELECT count(*) FROM pg_authid WHERE rolname = '\(person.role)' AND rolpassword IS NOT NULL;
            SELECT count(*) FROM pg_db_role_setting WHERE setrole = '\(person.role)'::regrole;
            """
        #expect(try server.administer(planted) == "1\n2")
        try server.administer(try Article.statements("PASSWORD NULL", for: person.role))
        #expect(try server.administer(planted) == "0\n0")
        expectFailure(\FleetError.code, .away) { _ = try session.lastHeader(by: .patient) }
    }

    @Test("The queries that show what a role takes run; long transactions are ended")
    func monitoring() throws {
        let (server, person, _) = try world()
        defer { server.end() }
        let queries = try Article.blocks("pg_notification_queue_usage()")
        #expect(queries.count == 1)
        for query in queries { try server.administer(query) }
        let session = try PostgresServer(address: person.address).session(by: .patient)
        defer { session.close() }
        try session.begin(by: .patient)
        _ = try session.lastHeader(by: .patient)
        let ending = try Article.statements("interval", for: person.role)
        try server.administer(ending)
        _ = try session.lastHeader(by: .patient)
        try server.administer(ending.replacing("10 minutes", with: "0 minutes"))
        expectFailure(\FleetError.code, .away) { _ = try session.lastHeader(by: .patient) }
    }
}

extension PostgresFleet {
    /// The number of persons, headers and records that a role sees.
    fileprivate func visibleRows(as role: String? = nil) throws -> String {
        try server.administer(
            """
            SET SESSION AUTHORIZATION \(role ?? self.role);
            SELECT count(*) FROM sharedauth_fleet.person;
            SELECT count(*) FROM sharedauth_fleet.header;
            SELECT count(*) FROM sharedauth_fleet.record;
            """
        )
    }
}

extension PrivatePostgres {
    /// Runs a command line of the article, with other files.
    fileprivate func runLine(_ line: String, files: [String: String] = [:]) throws {
        var words = line.split(separator: " ").map(String.init)
        for (name, path) in files { words = words.map { $0.replacing(name, with: path) } }
        try run(words[0], Array(words.dropFirst()))
    }
}
