internal import DesktopSupport

/// The roles of a person and of the person's devices.
extension PostgresSession {
    func note(device: String, by deadline: Deadline) throws(FleetError) {
        try connection.perform("SELECT sharedauth_fleet.note_device($1)", [.text(device)], by: deadline)
    }

    func removeRoles(of device: String, by deadline: Deadline) throws(FleetError) {
        guard try has("sharedauth_fleet.remove_device(text)", by: deadline) else { return }
        try connection.perform("SELECT sharedauth_fleet.remove_device($1)", [.text(device)], by: deadline)
    }

    func roles(by deadline: Deadline) throws(FleetError) -> [ServerRole] {
        if schemaVersion < 3 { return [] }
        let found = try rows(
            """
            SELECT d.role_name, d.is_devices::text, d.id, d.is_removed::text, coalesce(r.rolcanlogin, false)::text, \
            (SELECT count(*) FROM pg_catalog.pg_stat_activity a WHERE a.usesysid = r.oid)::text FROM ( \
            SELECT role, role_name, false AS is_devices, NULL AS id, false AS is_removed FROM sharedauth_fleet.person \
            UNION ALL SELECT role, role_name, true, id, removed IS NOT NULL FROM sharedauth_fleet.device \
            ) AS d LEFT JOIN pg_catalog.pg_roles r ON r.oid = d.role AND r.rolname = d.role_name \
            ORDER BY d.is_devices, d.role_name
            """,
            columns: 6,
            by: deadline
        )
        return try found.map { row throws(FleetError) in
            let texts = row.map { column in column.map { String(decoding: $0, as: UTF8.self) } }
            guard let name = texts[0], let sessions = Self.integer(row[5]) else { throw Self.noResult }
            return ServerRole(
                name: name,
                isDevices: texts[1] == "true",
                device: texts[2],
                isRemoved: texts[3] == "true",
                canLogIn: texts[4] == "true",
                sessions: sessions
            )
        }
    }
}
