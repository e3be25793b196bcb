internal import DesktopSupport
internal import FoundationEssentials

/// The server of one person's fleet: headers and sealed records, which it cannot read.
protocol FleetServer: Sendable {
    /// Opens a connection.
    func connect(by deadline: Deadline) throws(FleetError) -> any FleetSession
}

/// A record as the server stores it.
struct ServerRecord: Sendable, Hashable {
    /// The epoch whose key sealed the record.
    var epoch: UInt64
    /// The sealed record; nil if the row only exists to be locked.
    var sealed: [UInt8]?
    /// The device that began to exchange the tokens and has not finished.
    var exchanging: String?
}

/// A role as the server tells of it.
struct ServerRole: Sendable, Hashable {
    let name: String
    /// True for a role that a device has alone, false for the person's.
    var isDevices = true
    /// The id of the device; nil if it has not told.
    var device: String?
    /// Indicates whether the server refuses it.
    var isRemoved = false
    /// Indicates whether a session can begin with it.
    var canLogIn = true
    var sessions = 0
}

/// A header as the server lists it: its place among all headers of the person, which may be later than its number
/// tells if something else took that place; the digest and the size of its bytes.
struct ListedHeader: Sendable, Hashable {
    let slot: Int
    let digest: Data
    let size: Int

    /// The most bytes that a header may have.
    static let mostBytes = 1 << 20
}

/// One connection to a server. One thread at a time uses it. Its answers are not verified.
///
/// After an error, only ``close()`` may be called, or ``undo(by:)`` if ``mark(by:)`` was.
protocol FleetSession: AnyObject, Sendable {
    /// Indicates whether the connection can be used for another call.
    var isUsable: Bool { get }
    /// The version of the server's schema.
    var schemaVersion: Int { get }
    /// The device that alone has this role, as the server says; nil if the role is the person's.
    var roleDevice: SchemaCheck.Device? { get }

    /// Returns the header in the last slot; nil if there is none.
    func lastHeader(by deadline: Deadline) throws(FleetError) -> ListedHeader?
    /// Lists the headers after a slot that have a plausible size, in order.
    func listHeaders(after slot: Int, by deadline: Deadline) throws(FleetError) -> [ListedHeader]
    /// Returns the bytes of listed headers, in order.
    func headers(_ listed: [ListedHeader], by deadline: Deadline) throws(FleetError) -> [[UInt8]]
    /// Returns the first free slot after one.
    func freeSlot(after slot: Int, by deadline: Deadline) throws(FleetError) -> Int
    /// Adds a header.
    ///
    /// - Throws: `conflict` if the slot is taken.
    func add(header: [UInt8], at slot: Int, by deadline: Deadline) throws(FleetError)

    /// Reads a record and the header in the last slot in one step.
    func read(
        _ name: [UInt8],
        by deadline: Deadline
    ) throws(FleetError) -> (record: ServerRecord?, header: ListedHeader?)
    /// Returns some of the records after a name that have a plausible size, in order; none after the last one.
    func records(
        after name: [UInt8],
        by deadline: Deadline
    ) throws(FleetError) -> [(name: [UInt8], record: ServerRecord)]

    /// Begins a transaction. It ends by ``commit(by:)``, by ``close()``, or if nothing is called for too long.
    func begin(by deadline: Deadline) throws(FleetError)
    /// Locks a record in the transaction, and reads it.
    func lock(_ name: [UInt8], by deadline: Deadline) throws(FleetError) -> ServerRecord
    /// Writes a record in the transaction.
    func write(_ record: ServerRecord, named name: [UInt8], by deadline: Deadline) throws(FleetError)
    /// Deletes all records in the transaction.
    ///
    /// - Throws: `conflict` if another connection holds one until the deadline.
    func deleteRecords(by deadline: Deadline) throws(FleetError)
    /// Locks a turn in the transaction.
    ///
    /// - Throws: `conflict` if another device has the turn until the deadline.
    func lockTurn(_ name: [UInt8], by deadline: Deadline) throws(FleetError)
    /// Sets a point of the transaction to which ``undo(by:)`` returns, with the locks taken since.
    func mark(by deadline: Deadline) throws(FleetError)
    func undo(by deadline: Deadline) throws(FleetError)
    /// Ends the transaction.
    ///
    /// - Throws: An error whose outcome is unknown, if the connection ends meanwhile.
    func commit(by deadline: Deadline) throws(FleetError)

    /// Cancels the transaction.
    func rollback(by deadline: Deadline) throws(FleetError)

    /// Notes that a device begins to exchange the tokens of a record, unless another one than `former` is noted.
    ///
    /// - Returns: The device that is noted afterwards.
    func beginExchange(
        of name: [UInt8],
        by device: String,
        replacing former: String?,
        deadline: Deadline
    ) throws(FleetError) -> String?
    /// Removes the note about a device's exchange, if it is the one that is noted.
    func endExchange(of name: [UInt8], by device: String, deadline: Deadline) throws(FleetError)

    /// Notes the id of the device that has this role, if the server has none.
    func note(device: String, by deadline: Deadline) throws(FleetError)
    /// Makes the server refuse the roles of a device, other than this one, when the transaction is committed. Leaves
    /// those that another connection holds.
    func removeRoles(of device: String, by deadline: Deadline) throws(FleetError)
    /// Returns the roles of the person: first the person's, and those of devices.
    func roles(by deadline: Deadline) throws(FleetError) -> [ServerRole]

    /// Begins to receive notifications of changes.
    func listen(by deadline: Deadline) throws(FleetError)
    /// Waits for a notification until the deadline. Returns whether one arrived.
    func waitForChange(by deadline: Deadline) throws(FleetError) -> Bool

    /// Closes the connection, and cancels its transaction.
    func close()
}

extension FleetSession {
    /// Notes the id of the device that alone has this role, unless the server knew one when the connection began.
    func noteUnknown(_ device: String, by deadline: Deadline) throws(FleetError) {
        if let roleDevice, roleDevice.id == nil { try note(device: device, by: deadline) }
    }

    /// Does work in a transaction. If it throws, nothing of it is done, and the connection must be closed.
    func transaction<Value>(
        by deadline: Deadline,
        _ work: () throws(FleetError) -> Value
    ) throws(FleetError) -> Value {
        try begin(by: deadline)
        let value = try work()
        try commit(by: deadline)
        return value
    }

    /// Does work of a transaction that may be left out.
    ///
    /// - Returns: False if another connection holds what it needs; then nothing of it is done.
    @discardableResult
    func attempt(by deadline: Deadline, _ work: () throws(FleetError) -> Void) throws(FleetError) -> Bool {
        try mark(by: deadline)
        do throws(FleetError) {
            try work()
            return true
        } catch {
            guard error.code == .conflict, isUsable else { throw error }
            try undo(by: deadline)
            return false
        }
    }
}
