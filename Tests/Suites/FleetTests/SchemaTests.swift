import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests servers that are set up in a way that the library refuses.
@Suite(.serialized)
struct SchemaTests {
    private let server: PrivatePostgres
    private let person: PostgresFleet

    init() throws {
        server = try Self.ownServer.get()
        person = try PostgresFleet(on: server)
    }

    private static let ownServer = Result {
        let server = try PrivatePostgres()
        try server.administer(Fleet.schema)
        return server
    }

    /// Expects a connection to fail with a code and without naming the server.
    private func expectRefusal(_ code: FleetError.Code, _ address: ServerAddress? = nil, mentions: String = "") {
        let error = expectFailure(\FleetError.code, code, without: [server.directory]) {
            _ = try PostgresServer(address: address ?? person.address).connect(by: .patient)
        }
        #expect(error?.description.contains(mentions) == true && error?.remedy != nil)
    }

    @Test("The shipped schema is accepted")
    func shipped() throws {
        try PostgresServer(address: person.address).connect(by: .patient).close()
    }

    @Test("A role for which row security does not hold is refused")
    func roles() throws {
        var address = person.address
        address.role = PrivatePostgres.administrator
        expectRefusal(.unsafeRole, address)
        for right in ["BYPASSRLS", "SUPERUSER"] {
            try server.administer("ALTER ROLE \(person.role) \(right)")
            expectRefusal(.unsafeRole)
            try server.administer("ALTER ROLE \(person.role) NO\(right)")
        }
        try server.administer(
            "CREATE ROLE owners; GRANT owners TO \(person.role); ALTER TABLE sharedauth_fleet.turn OWNER TO owners"
        )
        expectRefusal(.unsafeRole)
        try server.administer("ALTER TABLE sharedauth_fleet.turn OWNER TO dba; DROP ROLE owners")
        try shipped()
    }

    @Test("Settings of the role and the database, which the role can change, have no effect")
    func settings() throws {
        let settings = [
            "row_security = off", "default_transaction_read_only = on", "statement_timeout = '1ms'",
            "default_transaction_isolation = 'serializable'", "default_transaction_deferrable = on",
            "lock_timeout = '1ms'", "idle_in_transaction_session_timeout = '1ms'", "search_path = public, pg_temp",
            "quote_all_identifiers = on", "role = 'pg_monitor'", "local_preload_libraries = 'missing'",
            "synchronous_commit = off", "client_encoding = 'LATIN1'", "DateStyle = 'German'",
        ]
        try server.administer("GRANT pg_monitor TO \(person.role)")
        for setting in settings {
            try person.attack("ALTER ROLE \(person.role) SET \(setting)")
        }
        let (device, other) = (try person.firstDevice(), TestDevice())
        try device.enrol(other, at: person.address)
        let payload = try UserRecords.signedIn("alice")
        let (store, second) = (device.store(), other.store())
        try store.change(sharedKey, .write(payload))
        #expect(try second.payload(sharedKey) == payload)
        let turn = try store.acquire("refresh", for: sharedKey, by: .patient)
        // In a transaction that began before, the other device's change must be seen.
        try second.change(sharedKey, .delete)
        #expect(try store.payload(sharedKey) == nil)
        turn.release()
        try second.acquire("refresh", for: sharedKey, by: .patient).release()
    }

    @Test("A socket that every user can have made is refused before a connection is made")
    func sockets() throws {
        let place = "\(server.directory)/sockets"
        for (modes, isRefused) in [
            ((0o755, 0o755), false), ((0o755, 0o777), true), ((0o755, 0o1777), true),
            ((0o777, 0o755), true), ((0o1777, 0o755), false),
        ] {
            try server.makeDirectories([place: modes.0, "\(place)/inner": modes.1])
            var address = person.address
            address.host = "\(place)/inner"
            // Without a socket, a directory that is used is one whose server is away.
            expectRefusal(isRefused ? .invalidAddress : .away, address)
            address.host = "\(server.directory),\(place)/inner"
            if isRefused { expectRefusal(.invalidAddress, address) }
        }
    }

    @Test("A role that is unknown or has no person or group is refused")
    func persons() throws {
        var address = person.address
        address.role = "nobody_knows"
        expectRefusal(.notAdmitted, address)
        try server.administer("CREATE ROLE \(PrivatePostgres.stranger) LOGIN")
        address.role = PrivatePostgres.stranger
        expectRefusal(.noPerson, address, mentions: "sharedauth_person")
        try server.administer("GRANT sharedauth_person TO \(PrivatePostgres.stranger)")
        expectRefusal(.noPerson, address, mentions: "INSERT INTO sharedauth_fleet.person")
    }

    @Test("A changed policy, grant, trigger, function or row security is refused, and named")
    func changes() throws {
        let changes = [
            (
                "ALTER TABLE sharedauth_fleet.record DISABLE ROW LEVEL SECURITY",
                "ALTER TABLE sharedauth_fleet.record ENABLE ROW LEVEL SECURITY", "security record"
            ),
            (
                "CREATE POLICY more ON sharedauth_fleet.record USING (true)",
                "DROP POLICY more ON sharedauth_fleet.record", "policy record more"
            ),
            (
                "ALTER POLICY own ON sharedauth_fleet.turn USING (true)",
                "ALTER POLICY own ON sharedauth_fleet.turn USING (person = (SELECT sharedauth_fleet.me()))",
                "policy turn own"
            ),
            (
                "GRANT DELETE ON sharedauth_fleet.header TO PUBLIC",
                "REVOKE DELETE ON sharedauth_fleet.header FROM PUBLIC", "grant header PUBLIC"
            ),
            (
                "GRANT UPDATE ON sharedauth_fleet.record TO sharedauth_person",
                "REVOKE UPDATE ON sharedauth_fleet.record FROM sharedauth_person; "
                    + "GRANT UPDATE (epoch, sealed, exchanging) ON sharedauth_fleet.record TO sharedauth_person",
                "grant record sharedauth_person"
            ),
            (
                "GRANT UPDATE (room) ON sharedauth_fleet.person TO \(person.role)",
                "REVOKE UPDATE (room) ON sharedauth_fleet.person FROM \(person.role)", "column person room"
            ),
            (
                "GRANT EXECUTE ON FUNCTION sharedauth_fleet.limit_room() TO PUBLIC",
                "REVOKE EXECUTE ON FUNCTION sharedauth_fleet.limit_room() FROM PUBLIC", "execute limit_room PUBLIC"
            ),
            (
                "ALTER TABLE sharedauth_fleet.record DISABLE TRIGGER announce",
                "ALTER TABLE sharedauth_fleet.record ENABLE TRIGGER announce", "trigger record announce"
            ),
            (
                "ALTER FUNCTION sharedauth_fleet.me() SET search_path = public",
                "ALTER FUNCTION sharedauth_fleet.me() SET search_path = pg_catalog, pg_temp", "function me"
            ),
        ]
        for (change, undo, name) in changes {
            try server.administer(change)
            expectRefusal(.changedSchema, mentions: name)
            try server.administer(undo)
        }
        try shipped()
    }

    @Test("A right of a role to which the person does not belong is nobody's concern")
    func foreignRights() throws {
        try server.administer(
            """
            CREATE ROLE reporting;
            GRANT USAGE ON SCHEMA sharedauth_fleet TO reporting;
            GRANT SELECT ON ALL TABLES IN SCHEMA sharedauth_fleet TO reporting;
            GRANT UPDATE (room) ON sharedauth_fleet.person TO reporting;
            GRANT EXECUTE ON FUNCTION sharedauth_fleet.delete_records() TO reporting;
            """
        )
        try shipped()
        try server.administer("CREATE ROLE analysts; GRANT reporting TO analysts; GRANT analysts TO \(person.role)")
        expectRefusal(.changedSchema, mentions: "column person room")
        try server.administer("DROP ROLE analysts; DROP OWNED BY reporting; DROP ROLE reporting")
        try shipped()
    }

    @Test("A missing schema, one of another version, and a missing database are each named")
    func versions() throws {
        var address = person.address
        address.database = "postgres"
        expectRefusal(.schemaVersion, address, mentions: "sharedauth fleet schema")
        address.database = "no_such_database"
        expectRefusal(.invalidAddress, address)
        try server.administer("UPDATE sharedauth_fleet.schema_version SET number = 4")
        expectRefusal(.schemaVersion, mentions: "Update SharedAuth")
        try server.administer("UPDATE sharedauth_fleet.schema_version SET number = 0")
        expectRefusal(.schemaVersion, mentions: "sharedauth fleet schema --upgrade")
        try server.administer("UPDATE sharedauth_fleet.schema_version SET number = 3")
    }

    @Test("A full server refuses a change, which leaves record and copy as they were")
    func full() throws {
        let device = try person.firstDevice()
        let store = device.store()
        try store.change(sharedKey, .write([1]))
        // The server's own report of a full disk.
        try server.administer(
            """
            CREATE FUNCTION public.fill() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'; END $$;
            CREATE TRIGGER fill BEFORE UPDATE ON sharedauth_fleet.record FOR EACH ROW EXECUTE FUNCTION public.fill();
            """
        )
        // An earlier connection of the device meets the full disk.
        let error = expectFailure(\RecordStoreError.code, .full) { try store.change(sharedKey, .write([2])) }
        #expect(error?.ofFleet?.code == .full)
        #expect(try device.records.copy(of: sharedKey, by: .patient).state.shown?.payload == [1])
        try server.administer("DROP TRIGGER fill ON sharedauth_fleet.record; DROP FUNCTION public.fill()")
        #expect(try device.store().payload(sharedKey) == [1])
    }

    @Test("A connection pooler is refused")
    func pooler() throws {
        let bouncer = try server.startPooler()
        defer { bouncer.end() }
        var address = person.address
        address.host = "\(server.directory)/pooler"
        expectRefusal(.pooler, address, mentions: "pooler")
    }

    @Test("An address with an invalid part is refused before a connection is made")
    func addresses() {
        func check(_ change: (inout ServerAddress) -> Void) {
            var address = person.address
            change(&address)
            expectRefusal(.invalidAddress, address)
        }
        check { $0.host = "" }
        check { $0.host = "one,,two" }
        check { $0.port = 0 }
        check { $0.role = "" }
        check { $0.database = "a\0b" }
    }
}

extension PrivatePostgres {
    /// Makes directories with these modes, those above first.
    fileprivate func makeDirectories(_ modes: [String: Int]) throws {
        for (path, mode) in modes.sorted(by: { $0.key < $1.key }) {
            try perform(["mkdir", "-p", path])
            try perform(["chmod", String(mode, radix: 8), path])
        }
    }
}
