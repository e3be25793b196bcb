internal import CLibpq
internal import DesktopSupport
internal import Glibc

/// A connection to PostgreSQL, whose calls end at their deadlines. One thread at a time uses it.
///
/// A call that reaches its deadline asks the server to cancel the statement, and makes the connection unusable.
@safe final class ServerConnection: @unchecked Sendable {
    // Used by one thread at a time, as the type demands.
    private var connection: OpaquePointer?

    /// A parameter of a statement.
    enum Parameter {
        case text(String)
        case bytes([UInt8])
        case null
    }

    /// A row of a result: the bytes of each column; nil for null.
    typealias Row = [[UInt8]?]

    /// Connects.
    ///
    /// - Parameter settings: Values for libpq's keywords. Every other keyword gets its built-in value, so that neither
    ///   variables of the environment nor service files have any effect.
    init(_ settings: [String: String], by deadline: Deadline) throws(FleetError) {
        unsafe connection = PQconnectStart(Self.connectionString(settings))
        guard let connection = unsafe connection, unsafe PQstatus(connection) != CONNECTION_BAD else {
            throw failure()
        }
        // The text of an error at the connection then begins with its SQLSTATE.
        unsafe PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        while true {
            let events: Int32
            switch unsafe PQconnectPoll(connection) {
            case PGRES_POLLING_OK:
                unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
                guard unsafe PQsetnonblocking(connection, 1) == 0 else { throw failure() }
                return
            case PGRES_POLLING_READING: events = POLLIN
            case PGRES_POLLING_WRITING: events = POLLOUT
            default: throw failure()
            }
            guard try isReady(events, by: deadline) else { throw timeOut(.connecting) }
        }
    }

    deinit { close() }

    /// Indicates whether the connection can be used.
    var isUsable: Bool { unsafe connection != nil && PQstatus(connection) == CONNECTION_OK }

    /// The id of the server process that the connection began with.
    var backend: Int32 { unsafe PQbackendPID(connection) }

    /// Closes the connection.
    func close() {
        guard let open = unsafe connection else { return }
        unsafe connection = nil
        unsafe PQfinish(open)
    }

    /// The number of bytes that the rows of one statement may take. No statement of a client asks for more.
    static let mostBytes = 16 << 20
    /// The number of bytes that a row counts besides its values.
    private static let bytesOfRow = 64

    /// Performs a statement, and returns its rows in binary form.
    ///
    /// - Throws: `away` if the connection is lost or the deadline passes; an error by the server's SQLSTATE; `failed` if
    ///   the server sends more than ``mostBytes``, or something else than rows.
    @discardableResult
    func perform(
        _ statement: String,
        _ parameters: [Parameter] = [],
        by deadline: Deadline
    ) throws(FleetError) -> [Row] {
        guard let connection = unsafe connection else { throw .lostConnection }
        guard send(statement, parameters) else { throw failure() }
        while true {
            let rest = unsafe PQflush(connection)
            if rest == 0 { break }
            guard rest > 0 else { throw failure() }
            guard try isReady(POLLOUT | POLLIN, by: deadline) else { throw timeOut(.performing) }
            guard unsafe PQconsumeInput(connection) == 1 else { throw failure() }
        }
        var rows: [Row] = []
        var size = 0
        var error: FleetError?
        while true {
            while unsafe PQisBusy(connection) == 1 {
                guard try isReady(POLLIN, by: deadline) else { throw timeOut(.performing) }
                guard unsafe PQconsumeInput(connection) == 1 else { throw failure() }
            }
            guard let result = unsafe PQgetResult(connection) else { break }
            defer { unsafe PQclear(result) }
            switch unsafe PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE:
                size += unsafe Self.size(of: result)
                guard size <= Self.mostBytes else { throw refusal("more than a client asks for") }
                rows += unsafe Self.rows(of: result)
            case PGRES_COMMAND_OK: break
            // The result would repeat without end.
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: throw refusal("something else than rows")
            default:
                let state = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C")))
                error = FleetError(state: unsafe state.map { unsafe String(cString: $0) })
            }
        }
        if let error { throw error }
        return rows
    }

    /// Waits for a notification until the deadline. Returns whether one arrived.
    ///
    /// - Throws: `away` if the connection is lost.
    func waitForNotification(by deadline: Deadline) throws(FleetError) -> Bool {
        guard let connection = unsafe connection else { throw .lostConnection }
        while true {
            guard unsafe PQconsumeInput(connection) == 1 else { throw failure() }
            var heard = false
            while let notification = unsafe PQnotifies(connection) {
                unsafe PQfreemem(notification)
                heard = true
            }
            if heard { return true }
            guard try isReady(POLLIN, by: deadline) else { return false }
        }
    }
}

// MARK: Waiting

extension ServerConnection {
    /// Waits until the socket is ready. Returns false at the deadline.
    private func isReady(_ events: Int32, by deadline: Deadline) throws(FleetError) -> Bool {
        guard let connection = unsafe connection else { throw .lostConnection }
        let socket = unsafe PQsocket(connection)
        guard let cancellation = deadline.cancellation else {
            return Self.wait([pollfd(fd: socket, events: Int16(events), revents: 0)], until: deadline)
        }
        let waker = Cancellable()
        return waker.withFileDescriptor { file in
            cancellation.observed(by: { waker.cancel() }) {
                Self.wait(
                    [
                        pollfd(fd: socket, events: Int16(events), revents: 0),
                        pollfd(fd: file, events: Int16(POLLIN), revents: 0),
                    ],
                    until: deadline
                )
            }
        }
    }

    /// Waits until the first of these is ready, or the deadline passes or is cancelled.
    private static func wait(_ sockets: [pollfd], until deadline: Deadline) -> Bool {
        var sockets = sockets
        while !deadline.isPast {
            let count = nfds_t(sockets.count)
            if unsafe poll(&sockets, count, deadline.remaining.wholeMilliseconds) > 0, sockets[0].revents != 0 {
                return true
            }
        }
        return false
    }

    private enum Step {
        case connecting, performing
    }

    /// Gives the connection up at the deadline of a call. A statement that the server still performs is cancelled on
    /// another thread, because libpq's call for that blocks.
    private func timeOut(_ step: Step) -> FleetError {
        if step == .performing, let open = unsafe connection, let cancel = unsafe PQgetCancel(open) {
            let request = unsafe CancelRequest(cancel)
            startThread(named: "fleet-cancel") { request.send() }
        }
        close()
        return FleetError(
            .away,
            step == .connecting
                ? "The fleet's server did not accept the connection in time."
                : "The fleet's server did not respond in time.",
            remedy: "Try again; if the problem persists, ask the administrator whether the server is overloaded.",
            outcomeIsUnknown: step == .performing
        )
    }

    /// Closes the connection to a server that does not behave as PostgreSQL, and returns the reason.
    private func refusal(_ reason: String) -> FleetError {
        close()
        return FleetError(
            .failed,
            "The fleet's server sent \(reason).",
            remedy: "Ask the administrator whether this is PostgreSQL, and whether the database was changed by hand."
        )
    }

    /// Closes a connection that failed, and returns the reason.
    private func failure() -> FleetError {
        let message = unsafe connection.flatMap { unsafe PQerrorMessage($0) }.map { unsafe String(cString: $0) } ?? ""
        let hadBegun = unsafe connection != nil && PQserverVersion(connection) != 0
        close()
        return hadBegun && !message.contains("FATAL") ? .lostConnection : FleetError(connecting: message)
    }
}

/// A request to cancel the statement of a connection, which may be closed by then.
@safe private final class CancelRequest: @unchecked Sendable {
    // Used by one thread.
    private let cancel: OpaquePointer

    init(_ cancel: OpaquePointer) { unsafe self.cancel = cancel }

    deinit { unsafe PQfreeCancel(cancel) }

    func send() {
        var reason = [CChar](repeating: 0, count: 256)
        _ = unsafe PQcancel(cancel, &reason, 256)
    }
}

// MARK: Parameters and results

extension ServerConnection {
    private func send(_ statement: String, _ parameters: [Parameter]) -> Bool {
        // One block holds all values; each ends with a zero byte, as texts must.
        var block: [CChar] = []
        var (offsets, lengths, formats): ([Int?], [Int32], [Int32]) = ([], [], [])
        for parameter in parameters {
            let bytes: [UInt8]
            switch parameter {
            case .text(let text): bytes = Array(text.utf8)
            case .bytes(let data): bytes = data
            case .null: bytes = []
            }
            if case .null = parameter { offsets.append(nil) } else { offsets.append(block.count) }
            if case .bytes = parameter { formats.append(1) } else { formats.append(0) }
            lengths.append(Int32(bytes.count))
            block += bytes.map { CChar(bitPattern: $0) } + [0]
        }
        return unsafe block.withUnsafeBufferPointer { block in
            let values = unsafe offsets.map { offset in
                unsafe offset.flatMap { unsafe block.baseAddress?.advanced(by: $0) }
            }
            let count = Int32(parameters.count)
            // Row by row, so that no number of rows fills the memory.
            return unsafe PQsendQueryParams(connection, statement, count, nil, values, lengths, formats, 1) == 1
                && PQsetSingleRowMode(connection) == 1
        }
    }

    /// Returns the number of bytes that the rows of a result take.
    private static func size(of result: OpaquePointer) -> Int {
        (0..<(unsafe PQntuples(result))).reduce(0) { size, row in
            (0..<(unsafe PQnfields(result))).reduce(size + bytesOfRow) { size, column in
                size + bytesOfRow + Int(unsafe PQgetlength(result, row, column))
            }
        }
    }

    private static func rows(of result: OpaquePointer) -> [Row] {
        (0..<(unsafe PQntuples(result))).map { row in
            (0..<(unsafe PQnfields(result))).map { column in
                guard unsafe PQgetisnull(result, row, column) == 0, let value = unsafe PQgetvalue(result, row, column)
                else { return nil }
                let count = Int(unsafe PQgetlength(result, row, column))
                return unsafe UnsafeBufferPointer(start: value, count: count).map { UInt8(bitPattern: $0) }
            }
        }
    }

    /// Returns a connection string that gives every keyword of libpq a value.
    private static func connectionString(_ settings: [String: String]) -> String {
        var values = settings
        if let options = unsafe PQconninfoParse("", nil) {
            defer { unsafe PQconninfoFree(options) }
            var option = unsafe options
            while let keyword = unsafe option.pointee.keyword {
                let name = unsafe String(cString: keyword)
                // An empty name of a service would be searched for.
                if name != "service", values[name] == nil {
                    values[name] = unsafe option.pointee.compiled.map { unsafe String(cString: $0) } ?? ""
                }
                unsafe option += 1
            }
        }
        return values.sorted { $0.key < $1.key }.map { "\($0.key)='\(quoted($0.value))'" }.joined(separator: " ")
    }

    private static func quoted(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            if character == "'" || character == "\\" { text.append("\\") }
            text.append(character)
        }
    }
}
