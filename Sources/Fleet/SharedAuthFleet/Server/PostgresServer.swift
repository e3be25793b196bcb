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
        let connection = try ServerConnection(settings(by: deadline), by: deadline)
        let limit = turnLimit.wholeMilliseconds
        try connection.perform(
            """
            SELECT set_config('idle_in_transaction_session_timeout', $1, false), set_config('search_path', '', false), \
            set_config('client_min_messages', 'error', false), \
            set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') = 'off' THEN 'on' \
            ELSE current_setting('synchronous_commit') END, false)
            """,
            [.text("\(limit)ms")],
            by: deadline
        )
        return PostgresSession(connection, try SchemaCheck.perform(on: connection, by: deadline))
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

/// A connection to a fleet's PostgreSQL server.
final class PostgresSession: FleetSession {
    private let connection: ServerConnection
    private let channel: String
    let schemaVersion: Int

    init(_ connection: ServerConnection, _ findings: SchemaCheck.Findings) {
        (self.connection, channel, schemaVersion) = (connection, findings.channel, findings.version)
    }

    var isUsable: Bool { connection.isUsable }

    func close() { connection.close() }

    // MARK: Headers

    func latestHeader(by deadline: Deadline) throws(FleetError) -> Int {
        try number("SELECT coalesce(max(number), 0)::text FROM sharedauth_fleet.header", by: deadline)
    }

    func headers(after number: Int, by deadline: Deadline) throws(FleetError) -> [[UInt8]] {
        try connection.perform(
            "SELECT body FROM sharedauth_fleet.header WHERE number > $1::integer ORDER BY number",
            [.text(String(number))],
            by: deadline
        ).map { $0[0] ?? [] }
    }

    func add(header: [UInt8], number: Int, by deadline: Deadline) throws(FleetError) {
        try connection.perform(
            "INSERT INTO sharedauth_fleet.header (number, body) VALUES ($1::integer, $2)",
            [.text(String(number)), .bytes(header)],
            by: deadline
        )
    }

    // MARK: Records

    func read(_ name: [UInt8], by deadline: Deadline) throws(FleetError) -> (record: ServerRecord?, header: Int) {
        let row =
            try connection.perform(
                """
                SELECT (SELECT coalesce(max(number), 0) FROM sharedauth_fleet.header)::text, \
                r.epoch::text, r.sealed, r.exchanging \
                FROM (SELECT 1) AS one LEFT JOIN sharedauth_fleet.record r ON r.name = $1
                """,
                [.bytes(name)],
                by: deadline
            ).first ?? []
        guard row.count == 4 else { throw FleetError(state: "XX000") }
        return (Self.record(row[1], row[2], row[3]), Self.integer(row[0]) ?? 0)
    }

    func names(by deadline: Deadline) throws(FleetError) -> [[UInt8]] {
        try connection.perform("SELECT name FROM sharedauth_fleet.record ORDER BY name", by: deadline)
            .map { $0[0] ?? [] }
    }

    func begin(by deadline: Deadline) throws(FleetError) {
        try connection.perform("BEGIN", by: deadline)
    }

    func lock(_ name: [UInt8], by deadline: Deadline) throws(FleetError) -> ServerRecord {
        try limitWaits(by: deadline)
        // FOR UPDATE locks no missing row.
        try connection.perform(
            "INSERT INTO sharedauth_fleet.record (name) VALUES ($1) ON CONFLICT DO NOTHING",
            [.bytes(name)],
            by: deadline
        )
        let row =
            try connection.perform(
                "SELECT epoch::text, sealed, exchanging FROM sharedauth_fleet.record WHERE name = $1 FOR UPDATE",
                [.bytes(name)],
                by: deadline
            ).first ?? []
        guard row.count == 3, let record = Self.record(row[0], row[1], row[2]) else { throw FleetError(state: "XX000") }
        return record
    }

    func write(_ record: ServerRecord, named name: [UInt8], by deadline: Deadline) throws(FleetError) {
        try connection.perform(
            "UPDATE sharedauth_fleet.record SET epoch = $2::bigint, sealed = $3, exchanging = $4 WHERE name = $1",
            [
                .bytes(name), .text(String(record.epoch)), record.sealed.map(ServerConnection.Parameter.bytes) ?? .null,
                record.exchanging.map(ServerConnection.Parameter.text) ?? .null,
            ],
            by: deadline
        )
    }

    func deleteRecords(by deadline: Deadline) throws(FleetError) {
        try connection.perform("DELETE FROM sharedauth_fleet.record", by: deadline)
    }

    // MARK: Turns and transactions

    func lockTurn(_ name: [UInt8], by deadline: Deadline) throws(FleetError) {
        try limitWaits(by: deadline)
        try connection.perform(
            "INSERT INTO sharedauth_fleet.turn (name) VALUES ($1) ON CONFLICT DO NOTHING",
            [.bytes(name)],
            by: deadline
        )
        try connection.perform(
            "SELECT FROM sharedauth_fleet.turn WHERE name = $1 FOR UPDATE",
            [.bytes(name)],
            by: deadline
        )
    }

    func mark(by deadline: Deadline) throws(FleetError) {
        try connection.perform("SAVEPOINT mark", by: deadline)
    }

    func undo(by deadline: Deadline) throws(FleetError) {
        try connection.perform("ROLLBACK TO SAVEPOINT mark", by: deadline)
    }

    func commit(by deadline: Deadline) throws(FleetError) {
        do throws(FleetError) {
            try connection.perform("COMMIT", by: deadline)
        } catch {
            guard error.code == .away else { throw error }
            throw FleetError(error.code, error.message, remedy: error.remedy, outcomeIsUnknown: true)
        }
    }

    func rollback(by deadline: Deadline) throws(FleetError) {
        try connection.perform("ROLLBACK", by: deadline)
    }

    func beginExchange(of name: [UInt8], by device: String, deadline: Deadline) throws(FleetError) -> String? {
        try limitWaits(by: deadline)
        let row =
            try connection.perform(
                """
                INSERT INTO sharedauth_fleet.record (name, exchanging) VALUES ($1, $2) \
                ON CONFLICT (person, name) DO UPDATE \
                SET exchanging = coalesce(sharedauth_fleet.record.exchanging, excluded.exchanging) RETURNING exchanging
                """,
                [.bytes(name), .text(device)],
                by: deadline
            ).first ?? []
        return row.first.flatMap(\.self).map { String(decoding: $0, as: UTF8.self) }
    }

    func endExchange(of name: [UInt8], by device: String, deadline: Deadline) throws(FleetError) {
        try limitWaits(by: deadline)
        try connection.perform(
            "UPDATE sharedauth_fleet.record SET exchanging = NULL WHERE name = $1 AND exchanging = $2",
            [.bytes(name), .text(device)],
            by: deadline
        )
    }

    /// Limits the server's waits for locks to the deadline, so that it reports a lock that is held.
    private func limitWaits(by deadline: Deadline) throws(FleetError) {
        // Earlier than the deadline, which would end the connection.
        let limit = max(1, deadline.remaining.wholeMilliseconds * 9 / 10)
        try connection.perform("SELECT set_config('lock_timeout', $1, false)", [.text("\(limit)ms")], by: deadline)
    }

    // MARK: Notifications

    func listen(by deadline: Deadline) throws(FleetError) {
        // The channel has only letters, digits and underscores.
        guard
            channel.utf8.allSatisfy({
                $0 == UInt8(ascii: "_") || Character(UnicodeScalar($0)).isLetter
                    || Character(UnicodeScalar($0)).isNumber
            })
        else { throw .missingSchema }
        try connection.perform("LISTEN \(channel)", by: deadline)
    }

    func waitForChange(by deadline: Deadline) throws(FleetError) -> Bool {
        try connection.waitForNotification(by: deadline)
    }

    // MARK: Columns

    private func number(_ statement: String, by deadline: Deadline) throws(FleetError) -> Int {
        let row = try connection.perform(statement, by: deadline).first ?? []
        return Self.integer(row.first.flatMap(\.self)) ?? 0
    }

    private static func integer(_ column: [UInt8]?) -> Int? {
        column.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    private static func record(_ epoch: [UInt8]?, _ sealed: [UInt8]?, _ exchanging: [UInt8]?) -> ServerRecord? {
        integer(epoch).flatMap(UInt64.init(exactly:)).map { epoch in
            ServerRecord(
                epoch: epoch,
                sealed: sealed,
                exchanging: exchanging.map { String(decoding: $0, as: UTF8.self) }
            )
        }
    }
}
