import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests what withdraws a device's role, and how the tool tells of it.
struct WithdrawalTests {
    private func run(_ text: String, on server: PrivatePostgres) throws {
        let script = "\(server.directory)/withdrawal.sql"
        try server.perform(["tee", script], input: text)
        try server.run("psql", ["--no-psqlrc", "--set=ON_ERROR_STOP=1", "--file=\(script)", PrivatePostgres.database])
    }

    @Test("A withdrawn role has no login, password, setting or session", .timeLimit(.minutes(2)))
    func withdrawal() throws {
        let server = try PrivatePostgres()
        defer { server.end() }
        try server.administer(Fleet.schema)
        let person = try PostgresFleet(on: server)
        let (one, two) = (try person.devices(2)[0], try person.deviceAddress())
        let role = two.role
        let session = try PostgresServer(address: two).connect(by: .patient)
        let kept = try PostgresServer(address: one.address).connect(by: .patient)
        defer { for open in [session, kept] { open.close() } }
        for (words, place) in [
            ("", ""), ("", " IN DATABASE \(PrivatePostgres.database)"), ("", " IN DATABASE postgres"),
        ] {
            try person.attack("ALTER ROLE \(role)\(place) SET work_mem = '1GB'\(words)", as: role)
        }
        try person.attack("ALTER ROLE \(role) PASSWORD 'planted'", as: role)
        let state = """
            SELECT rolcanlogin, rolpassword IS NULL FROM pg_authid WHERE rolname = '\(role)';
            SELECT count(*) FROM pg_db_role_setting WHERE setrole = '\(role)'::regrole;
            SELECT removed IS NOT NULL FROM sharedauth_fleet.device WHERE role_name = '\(role)';
            """
        #expect(try server.administer(state) == "t|f\n3\nf")
        try run(try Fleet.withdrawal(of: role), on: server)
        #expect(try server.administer(state) == "f|t\n0\nt")
        expectFailure(\FleetError.code, .away) { _ = try session.lastHeader(by: .patient) }
        _ = try kept.lastHeader(by: .patient)
        expectFailure(\FleetError.code, .notAdmitted) { _ = try PostgresServer(address: two).connect(by: .patient) }
        // Twice is once, and the role of another installation is admitted again.
        let removed = try person.noted("removed", role)
        try run(try Fleet.withdrawal(of: role), on: server)
        #expect(try person.noted("removed", role) == removed)
        try server.administer(try Article.statements("SET id = NULL", for: person.role, device: role))
        let next = TestDevice()
        try one.device.enrol(next, named: "next", at: two)
        #expect(try next.fleet.devices(by: .patient).count == 3)
        #expect(try person.noted("id", role) == next.id)
    }

    @Test("Roles with any name are withdrawn, and no other; a name runs nothing", .timeLimit(.minutes(2)))
    func names() throws {
        let server = try PrivatePostgres()
        defer { server.end() }
        try server.administer(Fleet.schema)
        _ = try PostgresFleet(on: server)
        let names = [
            "laptop 17", "Laptop", "it's", "say \"hi\"", "$$", "$withdraw$", "back\\slash'", "Jürgens Gerät",
            "'\u{301}\"\u{301}",
            ":alice", "a; DROP TABLE x; --", "line\nDROP TABLE x;\n", "tab\tdel\u{7f}\\", "\u{202e}rtl",
            String(repeating: "n", count: 63),
        ]
        func quoted(_ name: String) -> String {
            "convert_from(decode('" + name.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                + "', 'hex'), 'UTF8')"
        }
        for name in names + ["laptop"] {
            try server.administer(
                """
                DO $do$ BEGIN
                    EXECUTE format('CREATE ROLE %I LOGIN IN ROLE sharedauth_person', \(quoted(name)));
                    EXECUTE format('ALTER ROLE %I SET work_mem = 64', \(quoted(name)));
                    EXECUTE format('ALTER ROLE %I IN DATABASE fleet SET work_mem = 64', \(quoted(name)));
                END $do$;
                INSERT INTO sharedauth_fleet.device (person, role)
                SELECT p.id, r.oid FROM sharedauth_fleet.person p, pg_roles r WHERE rolname = \(quoted(name));
                """
            )
        }
        try server.administer("CREATE TABLE public.x ()")
        // A setting by which a backslash would quote, as an old application may need it.
        for (number, name) in names.enumerated() {
            let setting = number % 2 == 0 || name.contains("\n") || name.contains("\t") || name.contains("\u{202e}")
            try server.administer(
                "ALTER DATABASE fleet SET standard_conforming_strings = \(setting ? "on" : "off")"
            )
            let text = try Fleet.withdrawal(of: name)
            #expect(
                !text.unicodeScalars.contains { $0 != "\n" && ($0.value < 32 || $0.value == 127 || $0 == "\u{202e}") }
            )
            try run(text, on: server)
            let left = try server.administer(
                """
                SELECT count(*) FROM pg_roles r JOIN sharedauth_fleet.device d ON d.role = r.oid
                WHERE NOT rolcanlogin AND removed IS NOT NULL AND rolname = \(quoted(name))
                AND NOT EXISTS (SELECT FROM pg_db_role_setting WHERE setrole = r.oid);
                SELECT count(*) FROM sharedauth_fleet.device WHERE removed IS NOT NULL;
                """
            )
            #expect(left == "1\n\(number + 1)", "\(name)")
        }
        try server.administer("SELECT FROM public.x")
        for name in ["", String(repeating: "n", count: 64), "a\0b"] {
            expectFailure(\FleetError.code, .failed) { _ = try Fleet.withdrawal(of: name) }
        }
    }

    @Test("The text works on a schema of version 2, which knows no devices", .timeLimit(.minutes(2)))
    func earlierSchema() throws {
        let server = try PrivatePostgres()
        defer { server.end() }
        try server.administer(try GoldenBytes.text("fleet/schema-2.sql"))
        let person = try PostgresFleet(on: server)
        let (one, two) = (try person.firstDevice(), TestDevice())
        try one.enrol(two, at: person.address)
        try one.fleet.remove(try two.id, by: .patient)
        #expect(try one.fleet.devices(by: .patient).count == 1)
        #expect(try one.fleet.roles(by: .patient).isEmpty)
        try run(try Fleet.withdrawal(of: person.role), on: server)
        expectFailure(\FleetError.code, .notAdmitted) { _ = try one.fleet.devices(by: .patient) }
    }

    @Test("The tool names the role of a removed device, and tells when it was withdrawn", .timeLimit(.minutes(3)))
    func tool() throws {
        let server = try PrivatePostgres()
        defer { server.end() }
        try server.administer(Fleet.schema)
        let person = try PostgresFleet(on: server)
        try server.administer("ALTER ROLE \(person.role) NOLOGIN")
        let (laptop, desktop) = (try ToolDevice(), try ToolDevice())
        let (first, second) = (try person.deviceAddress(), try person.deviceAddress())
        func options(_ address: ServerAddress) -> [String] {
            ["--host", server.directory, "--database", PrivatePostgres.database, "--role", address.role]
        }
        #expect(try laptop.run(["init", "--name", "laptop"] + options(first)).status == 0)
        let unused = try laptop.run(["doctor"])
        #expect(unused.status == 0 && unused.standardOutput.contains("No device uses the role \(second.role)"))
        let enrolment = try laptop.enrol { code in
            try desktop.run(["enrol", "--name", "desktop"] + options(second), input: code)
        }
        #expect(enrolment.joined.status == 0, "\(enrolment.joined.standardError)")
        let list = try desktop.run(["devices"]).standardOutput.split(separator: "\n")
        let good = try laptop.run(["doctor"]).standardOutput
        #expect(!good.contains("warning") && good.contains("good"), "\(good)")

        let id = String(list[1].prefix { $0 != " " })
        let removed = try laptop.run(["revoke", "--yes", id])
        let command = "sharedauth fleet withdraw \(second.role)"
        #expect(removed.status == 0 && removed.standardOutput.contains(command), "\(removed.standardOutput)")
        #expect(try desktop.run(["devices"]).status == 77)
        let open = try laptop.run(["doctor"]).standardOutput
        #expect(open.contains("warning") && open.contains(command) && open.contains("can still connect"))
        let printed = try laptop.run(["withdraw", second.role])
        #expect(try printed.status == 0 && printed.standardOutput == Fleet.withdrawal(of: second.role))
        try run(printed.standardOutput, on: server)
        let json = try laptop.run(["doctor", "--json"]).standardOutput
        #expect(json.contains(#""finding":"withdrawn""#) && json.contains(#""verdict":"good""#), "\(json)")
        try server.administer("ALTER ROLE \(person.role) LOGIN")
        #expect(try laptop.run(["doctor", "--json"]).standardOutput.contains(#""finding":"sharedRole""#))
        #expect(try laptop.run(["withdraw", "a\u{7f}b"]).standardOutput.contains("U&"))
        #expect(try laptop.run(["withdraw", String(repeating: "n", count: 64)]).status == 70)
    }
}
