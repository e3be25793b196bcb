internal import DesktopSupport
internal import FoundationEssentials

/// A connection to a fleet's PostgreSQL server.
final class PostgresSession: FleetSession {
    let connection: ServerConnection
    private let channel: String
    let schemaVersion: Int
    let roleDevice: SchemaCheck.Device?

    init(_ connection: ServerConnection, _ findings: SchemaCheck.Findings) {
        (self.connection, channel, schemaVersion) = (connection, findings.channel, findings.version)
        roleDevice = findings.device
    }

    var isUsable: Bool { connection.isUsable }

    func close() { connection.close() }

    // MARK: Headers

    static let noResult = FleetError(state: "XX000")

    /// Performs a statement that gives rows of this many columns.
    func rows(
        _ statement: String,
        _ parameters: [ServerConnection.Parameter] = [],
        columns: Int,
        by deadline: Deadline
    ) throws(FleetError) -> [ServerConnection.Row] {
        let rows = try connection.perform(statement, parameters, by: deadline)
        guard rows.allSatisfy({ $0.count == columns }) else { throw Self.noResult }
        return rows
    }

    func lastHeader(by deadline: Deadline) throws(FleetError) -> ListedHeader? {
        try rows(
            """
            SELECT h.number::text, sha256(h.body), octet_length(h.body)::text \
            FROM sharedauth_fleet.header h ORDER BY h.number DESC LIMIT 1
            """,
            columns: 3,
            by: deadline
        ).first.flatMap { Self.header($0[0], $0[1], $0[2]) }
    }

    /// The most headers that are listed by one statement.
    private static let longestList = 4096

    func listHeaders(after slot: Int, by deadline: Deadline) throws(FleetError) -> [ListedHeader] {
        var listed: [ListedHeader] = []
        while true {
            let last = listed.last?.slot ?? slot
            let page = try rows(
                """
                SELECT h.number::text, sha256(h.body), octet_length(h.body)::text FROM sharedauth_fleet.header h \
                WHERE h.number > $1::integer AND octet_length(h.body) BETWEEN $2::integer AND $3::integer \
                ORDER BY h.number LIMIT \(Self.longestList)
                """,
                [
                    .text(String(last)), .text(String(FleetHeader.leastBytes)), .text(String(ListedHeader.mostBytes)),
                ],
                columns: 3,
                by: deadline
            ).compactMap { Self.header($0[0], $0[1], $0[2]) }
            var previous = last
            for header in page {
                guard header.slot > previous else { throw Self.noResult }
                previous = header.slot
            }
            listed += page
            if page.count < Self.longestList { return listed }
        }
    }

    func headers(_ listed: [ListedHeader], by deadline: Deadline) throws(FleetError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var rest = listed[...]
        while !rest.isEmpty {
            var size = 0
            let batch = rest.prefix { header in
                size += header.size
                return size <= 4 * ListedHeader.mostBytes
            }
            // A header that is larger than it was listed is absent.
            guard !batch.isEmpty else { throw Self.noResult }
            rest = rest.dropFirst(batch.count)
            found += try rows(
                """
                SELECT body FROM sharedauth_fleet.header WHERE number = ANY ($1::integer[]) \
                AND octet_length(body) <= $2::integer ORDER BY number
                """,
                [
                    .text("{\(batch.map { String($0.slot) }.joined(separator: ","))}"),
                    .text(String(ListedHeader.mostBytes)),
                ],
                columns: 1,
                by: deadline
            ).compactMap(\.[0])
        }
        return found
    }

    func freeSlot(after slot: Int, by deadline: Deadline) throws(FleetError) -> Int {
        let row = try rows(
            """
            SELECT min(place)::text FROM ( \
            SELECT $1::integer + 1 AS place UNION ALL \
            SELECT number + 1 FROM sharedauth_fleet.header WHERE number > $1::integer AND number < 2147483647 \
            ) AS places WHERE NOT EXISTS (SELECT FROM sharedauth_fleet.header WHERE number = place)
            """,
            [.text(String(slot))],
            columns: 1,
            by: deadline
        ).first
        guard let free = Self.integer(row?[0]), free > slot else { throw Self.noResult }
        return free
    }

    func add(header: [UInt8], at slot: Int, by deadline: Deadline) throws(FleetError) {
        try limitWaits(by: deadline)
        try connection.perform(
            "INSERT INTO sharedauth_fleet.header (number, body) VALUES ($1::integer, $2)",
            [.text(String(slot)), .bytes(header)],
            by: deadline
        )
    }

    // MARK: Records

    /// The sizes that a sealed record may have.
    private static let sizes: ClosedRange<Int> = FleetKeys.leastBytes...4 << 20

    func read(
        _ name: [UInt8],
        by deadline: Deadline
    ) throws(FleetError) -> (record: ServerRecord?, header: ListedHeader?) {
        let row =
            try rows(
                """
                SELECT h.number::text, sha256(h.body), octet_length(h.body)::text, r.epoch::text, \
                CASE WHEN octet_length(r.sealed) <= $2::integer THEN r.sealed END, r.exchanging \
                FROM (SELECT 1) AS one \
                LEFT JOIN (SELECT number, body FROM sharedauth_fleet.header ORDER BY number DESC LIMIT 1) h ON true \
                LEFT JOIN sharedauth_fleet.record r ON r.name = $1
                """,
                [.bytes(name), .text(String(Self.sizes.upperBound))],
                columns: 6,
                by: deadline
            ).first
        guard let row else { throw Self.noResult }
        return (Self.record(row[3], row[4], row[5]), Self.header(row[0], row[1], row[2]))
    }

    func records(
        after name: [UInt8],
        by deadline: Deadline
    ) throws(FleetError) -> [(name: [UInt8], record: ServerRecord)] {
        let found = try rows(
            """
            SELECT name, epoch::text, sealed FROM ( \
            SELECT name, epoch, sealed, sum(octet_length(sealed)) OVER (ORDER BY name) AS total \
            FROM sharedauth_fleet.record \
            WHERE name > $1 AND octet_length(sealed) BETWEEN $2::integer AND $3::integer \
            ) AS records WHERE total <= $3::integer ORDER BY name
            """,
            [.bytes(name), .text(String(Self.sizes.lowerBound)), .text(String(Self.sizes.upperBound))],
            columns: 3,
            by: deadline
        )
        var records: [(name: [UInt8], record: ServerRecord)] = []
        for row in found {
            guard let next = row[0], let record = Self.record(row[1], row[2], nil),
                (records.last?.name ?? name).lexicographicallyPrecedes(next)
            else { throw Self.noResult }
            records.append((next, record))
        }
        return records
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
            try rows(
                """
                SELECT epoch::text, CASE WHEN octet_length(sealed) <= $2::integer THEN sealed END, exchanging \
                FROM sharedauth_fleet.record WHERE name = $1 FOR UPDATE
                """,
                [.bytes(name), .text(String(Self.sizes.upperBound))],
                columns: 3,
                by: deadline
            ).first
        guard let row, let record = Self.record(row[0], row[1], row[2]) else { throw Self.noResult }
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
        try limitWaits(by: deadline)
        let hasFunction = try has("sharedauth_fleet.delete_records()", by: deadline)
        try connection.perform(
            hasFunction ? "SELECT sharedauth_fleet.delete_records()" : "DELETE FROM sharedauth_fleet.record",
            by: deadline
        )
    }

    /// Returns whether the schema has a function of version 3: it may have been upgraded since the connection began.
    func has(_ function: String, by deadline: Deadline) throws(FleetError) -> Bool {
        let found = try connection.texts("SELECT (to_regprocedure('\(function)') IS NOT NULL)::text", by: deadline)
        return found == [["true"]]
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

    func beginExchange(
        of name: [UInt8],
        by device: String,
        replacing former: String?,
        deadline: Deadline
    ) throws(FleetError) -> String? {
        try limitWaits(by: deadline)
        let row =
            try connection.perform(
                """
                INSERT INTO sharedauth_fleet.record (name, exchanging) VALUES ($1, $2) \
                ON CONFLICT (person, name) DO UPDATE \
                SET exchanging = coalesce(nullif(sharedauth_fleet.record.exchanging, $3), excluded.exchanging) \
                RETURNING exchanging
                """,
                [.bytes(name), .text(device), former.map(ServerConnection.Parameter.text) ?? .null],
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
    func limitWaits(by deadline: Deadline) throws(FleetError) {
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

    static func integer(_ column: [UInt8]?) -> Int? {
        column.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    private static func header(_ number: [UInt8]?, _ digest: [UInt8]?, _ size: [UInt8]?) -> ListedHeader? {
        guard let slot = integer(number), let digest, let size = integer(size) else { return nil }
        guard (1...Int(Int32.max)).contains(slot), size >= 0 else { return nil }
        return ListedHeader(slot: slot, digest: Data(digest), size: size)
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
