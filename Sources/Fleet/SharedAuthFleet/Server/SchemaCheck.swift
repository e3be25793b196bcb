internal import DesktopSupport

/// Checks, at the beginning of a connection, that the server is set up as the shipped schema sets it up.
///
/// It guards against an administrator's mistakes. A server that lies passes the check; the records that it stores are
/// sealed.
enum SchemaCheck {
    /// The versions of the schema that this library reads: the shipped one, and the one before.
    static let versions = 2...3

    /// The properties of a server that passed the check.
    struct Findings {
        /// The channel of the person's notifications.
        let channel: String
        /// The version of the schema.
        let version: Int
        /// The device whose role this is; nil if the role is the person's.
        let device: Device?
    }

    /// The device of which the server says that it alone has the role.
    struct Device: Sendable {
        /// Its id in the fleet's list; nil if none is noted.
        let id: String?
    }

    /// Returns the lines that the query below gives on a server with this version of the schema.
    static func expected(_ version: Int) -> Set<String> {
        let own = "f7137eba129768dbec168f4296779005"
        var lines: Set = [
            "execute me sharedauth_person EXECUTE",
            "trigger header announce 5 O", "trigger record announce 21 O",
            "security schema_version f", "grant schema_version sharedauth_person SELECT",
            "security person t", "grant person sharedauth_person SELECT",
            "policy person own PERMISSIVE sharedauth_person ALL e12ba1cf2b03dd19d7718b85b95be290 -",
        ]
        for table in ["header", "record", "turn"] {
            lines.insert("security \(table) t")
            lines.insert("grant \(table) sharedauth_person SELECT")
            lines.insert("policy \(table) own PERMISSIVE sharedauth_person ALL \(own) \(own)")
        }
        return lines.union(version == 2 ? ofVersion2 : ofVersion3)
    }

    private static let ofVersion2: Set = [
        "function announce f 96b2c9c717c99732ec395a368e4c8eb2", "function me t e62903f52610c1226013bcbb1350823f",
        "function limit_room f 371e6679f4cf91791aaa2c754c0d142a",
        "trigger header limit_room 5 O", "trigger record limit_room 21 O", "trigger turn limit_room 5 O",
        "grant header sharedauth_person INSERT", "grant record sharedauth_person INSERT",
        "grant record sharedauth_person UPDATE", "grant record sharedauth_person DELETE",
        "grant turn sharedauth_person INSERT", "grant turn sharedauth_person UPDATE",
    ]

    private static let ofVersion3: Set = [
        "security device t", "grant device sharedauth_person SELECT", "trigger device name_role 7 O",
        "policy device own PERMISSIVE sharedauth_person ALL f7137eba129768dbec168f4296779005 -",
        "execute is_removed sharedauth_person EXECUTE", "function is_removed t 074e2e4e3bb97fecb677084220a10138",
        "execute note_device sharedauth_person EXECUTE", "function note_device t 92a7392d968fba6d2402e412d56763c7",
        "execute remove_device sharedauth_person EXECUTE",
        "function remove_device t 53655e926c3c52b7849770ab07387c67",
        "function limit_lists t 55df466e7b9fce3a79eb2c62e12a56ee", "trigger header limit_lists 4 O",
        "function note_role t 9a0741e9d8e2cd0f713c411eac47f560", "trigger header note_role 7 O",
        "column header body sharedauth_person INSERT", "column header number sharedauth_person INSERT",
        "column record epoch sharedauth_person UPDATE", "column record exchanging sharedauth_person INSERT",
        "column record exchanging sharedauth_person UPDATE", "column record name sharedauth_person INSERT",
        "column record sealed sharedauth_person UPDATE", "column turn name sharedauth_person INSERT",
        "column turn name sharedauth_person UPDATE", "execute delete_records sharedauth_person EXECUTE",
        "function announce t 96b2c9c717c99732ec395a368e4c8eb2",
        "function delete_records t eeb40195c558fbcea6182dc0c06e266b",
        "function limit_room t 4524849e402be9b8ea3192a4cc9e6405",
        "function limit_rows t e995392185f8915a225ded98402c2daf", "function me t 5daf84b02e71258f233c0b6570d71a8a",
        "function name_role f a3974eb0b53c170584663a90eee4f1bb", "trigger person name_role 7 O",
        "trigger record limit_room 16 O", "trigger record limit_rows 4 O",
        "trigger turn limit_rows 4 O",
    ]

    /// One line for each policy, trigger and function of the schema, for the row security of each table, and for each
    /// right that concerns the person: rights of other roles do not.
    private static let lines = """
        SELECT format('policy %s %s %s %s %s %s %s', tablename, policyname, permissive, array_to_string(roles, ','), \
        cmd, coalesce(md5(qual), '-'), coalesce(md5(with_check), '-')) \
        FROM pg_catalog.pg_policies WHERE schemaname = 'sharedauth_fleet' \
        UNION ALL SELECT format('%s %s %s', g.object, coalesce(r.rolname, 'PUBLIC'), g.privilege) FROM ( \
        SELECT format('grant %s', relname) AS object, grantee, privilege_type AS privilege, relowner AS owner \
        FROM pg_catalog.pg_class CROSS JOIN LATERAL aclexplode(relacl) \
        WHERE relnamespace = to_regnamespace('sharedauth_fleet') \
        UNION ALL SELECT format('column %s %s', c.relname, t.attname), a.grantee, a.privilege_type, c.relowner \
        FROM pg_catalog.pg_attribute t JOIN pg_catalog.pg_class c ON c.oid = t.attrelid \
        CROSS JOIN LATERAL aclexplode(t.attacl) a WHERE c.relnamespace = to_regnamespace('sharedauth_fleet') \
        UNION ALL SELECT format('execute %s', proname), grantee, privilege_type, proowner \
        FROM pg_catalog.pg_proc CROSS JOIN LATERAL aclexplode(coalesce(proacl, acldefault('f', proowner))) \
        WHERE pronamespace = to_regnamespace('sharedauth_fleet') AND prosecdef \
        ) AS g LEFT JOIN pg_catalog.pg_roles r ON r.oid = g.grantee WHERE g.grantee <> g.owner \
        AND CASE WHEN g.grantee = 0 THEN true ELSE pg_has_role(session_user, g.grantee, 'MEMBER') END \
        UNION ALL SELECT format('security %s %s', relname, relrowsecurity) FROM pg_catalog.pg_class \
        WHERE relnamespace = to_regnamespace('sharedauth_fleet') AND relkind = 'r' \
        UNION ALL SELECT format('trigger %s %s %s %s', c.relname, t.tgname, t.tgtype, t.tgenabled) \
        FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid \
        WHERE c.relnamespace = to_regnamespace('sharedauth_fleet') AND NOT t.tgisinternal \
        UNION ALL SELECT format('function %s %s %s', proname, prosecdef, \
        md5(regexp_replace(prosrc, '\\s+', ' ', 'g') || coalesce(array_to_string(proconfig, ' '), ''))) \
        FROM pg_catalog.pg_proc WHERE pronamespace = to_regnamespace('sharedauth_fleet')
        """

    /// Checks the server.
    ///
    /// - Throws: `pooler`, `readOnly`, `unsafeRole`, `schemaVersion`, `noPerson` or `changedSchema`.
    static func perform(on connection: ServerConnection, by deadline: Deadline) throws(FleetError) -> Findings {
        let facts =
            try connection.texts(
                """
                SELECT pg_backend_pid()::text, pg_is_in_recovery()::text, (r.rolsuper OR r.rolbypassrls)::text, \
                current_setting('row_security'), (to_regnamespace('sharedauth_fleet') IS NOT NULL)::text, \
                EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace = to_regnamespace('sharedauth_fleet') \
                AND pg_has_role(r.oid, c.relowner, 'MEMBER'))::text FROM pg_catalog.pg_roles r WHERE r.rolname = session_user
                """,
                by: deadline
            ).first ?? []
        guard facts.count == 6 else { throw .missingSchema }
        guard facts[0] == String(connection.backend) else { throw .pooler }
        guard facts[2] == "false", facts[5] == "false", facts[3] == "on" else { throw .unsafeRole }
        guard facts[4] == "true" else { throw .missingSchema }
        let version = try connection.texts("SELECT number::text FROM sharedauth_fleet.schema_version", by: deadline)
        guard version.count == 1, let number = version.first?.first.flatMap({ Int($0) }) else { throw .missingSchema }
        guard versions.contains(number) else { throw .version(number) }
        try check(Set(try connection.texts(lines, by: deadline).compactMap(\.first)), version: number)
        let person = try connection.texts("SELECT channel FROM sharedauth_fleet.person", by: deadline)
        guard person.count == 1, let channel = person.first?.first else {
            throw try isRemoved(on: connection, version: number, by: deadline) ? .removedRole : .noPerson
        }
        guard facts[1] == "false" else { throw .readOnly }
        return Findings(
            channel: channel,
            version: number,
            device: try device(on: connection, version: number, by: deadline)
        )
    }

    private static func isRemoved(
        on connection: ServerConnection,
        version: Int,
        by deadline: Deadline
    ) throws(FleetError) -> Bool {
        guard version > 2 else { return false }
        return try connection.texts("SELECT sharedauth_fleet.is_removed()::text", by: deadline) == [["true"]]
    }

    private static func device(
        on connection: ServerConnection,
        version: Int,
        by deadline: Deadline
    ) throws(FleetError) -> Device? {
        guard version > 2 else { return nil }
        let rows = try connection.perform(
            "SELECT id FROM sharedauth_fleet.device WHERE role_name = session_user",
            by: deadline
        )
        return rows.first.map { row in Device(id: row.first?.map { String(decoding: $0, as: UTF8.self) }) }
    }

    /// Compares the server's lines with those of a version of the schema.
    static func check(_ found: Set<String>, version: Int) throws(FleetError) {
        guard let difference = found.symmetricDifference(expected(version)).min() else { return }
        throw FleetError(
            .changedSchema,
            "The server's schema is not the shipped one: it differs in the "
                + difference.split(separator: " ").prefix(3).joined(separator: " ") + ".",
            remedy: "Ask the administrator to compare it with the output of sharedauth fleet schema."
        )
    }
}

extension ServerConnection {
    /// Performs a statement whose columns are texts that are not null.
    func texts(_ statement: String, by deadline: Deadline) throws(FleetError) -> [[String]] {
        try perform(statement, by: deadline).map { $0.map { String(decoding: $0 ?? [], as: UTF8.self) } }
    }
}

extension FleetError {
    static var pooler: FleetError {
        FleetError(
            .pooler,
            "A connection pooler stands before the server; locks and notifications do not work through it.",
            remedy: "Give the address of PostgreSQL itself."
        )
    }

    fileprivate static var unsafeRole: FleetError {
        FleetError(
            .unsafeRole,
            "Row security does not hold for this role: it owns the schema, is a superuser, has BYPASSRLS, or turned it off.",
            remedy: "Use a separate role for each person, with LOGIN and sharedauth_person only."
        )
    }

    fileprivate static var noPerson: FleetError {
        FleetError(
            .noPerson,
            "The role belongs to no person of the schema.",
            remedy: "Ask the administrator to add it: INSERT INTO sharedauth_fleet.person (role) VALUES ('ROLE'). "
                + "If the role was renamed, its role_name there must be changed."
        )
    }

    fileprivate static var removedRole: FleetError {
        FleetError(
            .noPerson,
            "The server does not serve this device's role: it was removed there, which nothing proves.",
            remedy:
                "If a person removed this device, run sharedauth fleet leave, ask the administrator to admit its role "
                + "again, and enrol it."
        )
    }

    fileprivate static func version(_ number: Int) -> FleetError {
        FleetError(
            .schemaVersion,
            "The server's schema has version \(number); this version of SharedAuth reads "
                + "\(SchemaCheck.versions.lowerBound) to \(SchemaCheck.versions.upperBound).",
            remedy: number > SchemaCheck.versions.upperBound
                ? "Update SharedAuth on this device."
                : "Ask the administrator to upgrade the schema: each release prints the upgrade from the version before, "
                    + "with sharedauth fleet schema --upgrade."
        )
    }
}
