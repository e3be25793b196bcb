internal import DesktopSupport
internal import FoundationEssentials

/// A fleet's server: a PostgreSQL database with the shipped schema.
struct PostgresServer: FleetServer {
    let address: ServerAddress
    /// The time after which the server ends a transaction in which nothing is called, so that a device that was stopped
    /// in its turn loses it. Longer than an exchange of tokens may take.
    var turnLimit: Duration = .seconds(100)

    /// The text of the schema, to be run by an administrator.
    static var schema: String { String(decoding: PackageResources.schema_sql, as: UTF8.self) }
    /// The text that upgrades the version before to the shipped one, to be run by an administrator.
    static var schemaUpgrade: String { String(decoding: PackageResources.upgrade_sql, as: UTF8.self) }

    func connect(by deadline: Deadline) throws(FleetError) -> any FleetSession {
        try session(by: deadline)
    }

    /// Connects, and checks the server.
    ///
    /// - Throws: The errors of `ServerConnection` and of `SchemaCheck`.
    func session(by deadline: Deadline) throws(FleetError) -> PostgresSession {
        try address.check()
        for host in address.hosts where host.hasPrefix("/") { try SocketDirectory.check(host) }
        let connection = try ServerConnection(settings(by: deadline), by: deadline)
        // Of these, the first may be stricter on purpose, and not every version of PostgreSQL has the others.
        try connection.perform(
            """
            SELECT set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'on' \
            ELSE current_setting('synchronous_commit') END, false), \
            CASE WHEN current_setting('idle_session_timeout', true) <> '0' \
            THEN set_config('idle_session_timeout', '0', false) END, \
            CASE WHEN current_setting('transaction_timeout', true) <> '0' \
            THEN set_config('transaction_timeout', '0', false) END
            """,
            by: deadline
        )
        return PostgresSession(connection, try SchemaCheck.perform(on: connection, by: deadline))
    }

    /// The settings that a session depends on, as options of its beginning: those of the role and of the database, which
    /// every program of the role can change, have no effect then.
    private var options: String {
        [
            "idle_in_transaction_session_timeout": "\(turnLimit.wholeMilliseconds)ms", "statement_timeout": "0",
            "lock_timeout": "0", "default_transaction_isolation": "read committed",
            "default_transaction_read_only": "off", "default_transaction_deferrable": "off", "row_security": "on",
            "search_path": "", "client_min_messages": "error", "quote_all_identifiers": "off", "role": "none",
            "local_preload_libraries": "",
        ].sorted { $0.key < $1.key }.map { name, value in
            "-c \(name)=\(value.replacing(" ", with: "\\ "))"
        }.joined(separator: " ")
    }

    /// Returns the values of libpq's keywords that are not its built-in ones.
    private func settings(by deadline: Deadline) throws(FleetError) -> [String: String] {
        var (hosts, addresses): ([String], [String]) = ([], [])
        for host in address.hosts {
            // A host that cannot be resolved does not keep others from being tried.
            let found: [String]?
            do throws(FleetError) {
                found = try HostNames.addresses(of: host, by: deadline)
            } catch  where address.hosts.count > 1 {
                continue
            }
            for numeric in found ?? [""] {
                hosts.append(host)
                addresses.append(numeric)
            }
        }
        guard !hosts.isEmpty else { throw FleetError(connecting: "") }
        return [
            "host": hosts.joined(separator: ","),
            "hostaddr": addresses.allSatisfy(\.isEmpty) ? "" : addresses.joined(separator: ","),
            "port": String(address.port),
            "dbname": address.database,
            "user": address.role,
            "application_name": "sharedauth",
            "options": options,
            "client_encoding": "UTF8",
            "sslmode": address.allowsUnverifiedServer ? "require" : "verify-full",
            "sslrootcert": address.rootCertificate ?? "",
            "sslcert": address.certificate ?? "",
            "sslkey": address.privateKey ?? "",
            "passfile": address.passwordFile ?? "/nonexistent",
            "gssencmode": "disable",
            "target_session_attrs": hosts.count > 1 ? "read-write" : "any",
            "keepalives": "1", "keepalives_idle": "30", "keepalives_interval": "5", "keepalives_count": "3",
            "tcp_user_timeout": "20000",
        ]
    }
}
