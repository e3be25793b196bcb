extension Fleet {
    /// Returns the SQL text by which an administrator withdraws a role of the server, to be run with psql in the fleet's
    /// database. Does not connect.
    ///
    /// - Throws: `failed` if PostgreSQL has no role of this name.
    package static func withdrawal(of role: String) throws(FleetError) -> String {
        guard (1...63).contains(role.utf8.count), !role.utf8.contains(0) else {
            throw FleetError(
                .failed,
                "PostgreSQL has no role of this name: names have 1 to 63 bytes, and no NUL.",
                remedy: "Choose a name that sharedauth fleet doctor or the administrator knows."
            )
        }
        let (identifier, literal) = (role.sqlIdentifier, role.sqlLiteral)
        // The name is in no comment, which a line of the name would end.
        return """
            -- Withdraws a role. Run it as a superuser, in the fleet's database, and not in one transaction:
            --
            --     sharedauth fleet withdraw NAME | psql --set ON_ERROR_STOP=1 DATABASE

            -- It begins no session, and keeps no password and no setting that it gave itself.
            ALTER ROLE \(identifier) NOLOGIN PASSWORD NULL;
            ALTER ROLE \(identifier) RESET ALL;
            SELECT format('ALTER ROLE %I IN DATABASE %I RESET ALL', rolname, datname)
            FROM pg_db_role_setting JOIN pg_roles r ON r.oid = setrole JOIN pg_database d ON d.oid = setdatabase
            WHERE rolname = \(literal)
            \\gexec

            -- If it is a device's, the server serves it no more. Version 2 of the schema knows no devices.
            SELECT format('UPDATE sharedauth_fleet.device SET removed = now()'
                ' WHERE removed IS NULL AND role_name = %L', rolname)
            FROM pg_roles WHERE rolname = \(literal) AND to_regclass('sharedauth_fleet.device') IS NOT NULL
            \\gexec

            -- Its sessions end.
            SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity WHERE usename = \(literal);

            -- Now withdraw the certificate: remove the lines of pg_ident.conf and pg_hba.conf that name the device or the
            -- role, or add the certificate to the list of ssl_crl_file. Then make the server read them:
            --
            --     SELECT pg_reload_conf();

            """
    }
}

extension String {
    /// An identifier of SQL with this name, without characters that control a terminal.
    fileprivate var sqlIdentifier: String {
        hasControls ? "U&\"\(escaped("\"", escapingControls: true))\"" : "\"\(escaped("\""))\""
    }

    /// A literal of SQL with this text, whatever the server's settings are, without characters that control a terminal.
    fileprivate var sqlLiteral: String {
        if hasControls { return "U&'\(escaped("'", escapingControls: true))'" }
        return utf8.contains(UInt8(ascii: "\\")) ? "E'\(escaped("'\\"))'" : "'\(escaped("'"))'"
    }

    private var hasControls: Bool { unicodeScalars.contains(where: \.isControl) }

    /// Doubles some characters: by scalars, as a combining mark can follow them. With `escapingControls`, it writes
    /// others as PostgreSQL's Unicode escapes.
    private func escaped(_ doubled: String, escapingControls: Bool = false) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if escapingControls, scalar.isControl {
                let digits = String(scalar.value, radix: 16)
                text += "\\+" + String(repeating: "0", count: 6 - digits.count) + digits
                return
            }
            let isDoubled = doubled.unicodeScalars.contains(scalar) || escapingControls && scalar == "\\"
            text.unicodeScalars.append(contentsOf: isDoubled ? [scalar, scalar] : [scalar])
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
