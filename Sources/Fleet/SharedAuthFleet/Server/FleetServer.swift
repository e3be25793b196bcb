internal import DesktopSupport

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

/// One connection to a server. One thread at a time uses it.
///
/// After an error, only ``close()`` may be called.
protocol FleetSession: AnyObject, Sendable {
    /// Indicates whether the connection can be used for another call.
    var isUsable: Bool { get }
    /// The version of the server's schema.
    var schemaVersion: Int { get }

    /// Returns the number of the latest header; 0 if there is none.
    func latestHeader(by deadline: Deadline) throws(FleetError) -> Int
    /// Returns the headers after one, in order.
    func headers(after number: Int, by deadline: Deadline) throws(FleetError) -> [[UInt8]]
    /// Adds a header.
    ///
    /// - Throws: `conflict` if the server has one of this number.
    func add(header: [UInt8], number: Int, by deadline: Deadline) throws(FleetError)

    /// Reads a record and the number of the latest header in one step.
    func read(_ name: [UInt8], by deadline: Deadline) throws(FleetError) -> (record: ServerRecord?, header: Int)
    /// Returns the names of all records.
    func names(by deadline: Deadline) throws(FleetError) -> [[UInt8]]

    /// Begins a transaction. It ends by ``commit(by:)``, by ``close()``, or if nothing is called for too long.
    func begin(by deadline: Deadline) throws(FleetError)
    /// Locks a record in the transaction, and reads it.
    func lock(_ name: [UInt8], by deadline: Deadline) throws(FleetError) -> ServerRecord
    /// Writes a record in the transaction.
    func write(_ record: ServerRecord, named name: [UInt8], by deadline: Deadline) throws(FleetError)
    /// Deletes all records in the transaction.
    func deleteRecords(by deadline: Deadline) throws(FleetError)
    /// Locks a turn in the transaction.
    ///
    /// - Throws: `conflict` if another device has the turn until the deadline.
    func lockTurn(_ name: [UInt8], by deadline: Deadline) throws(FleetError)
    /// Sets a point to which ``undo(by:)`` returns, with the locks taken since.
    func mark(by deadline: Deadline) throws(FleetError)
    func undo(by deadline: Deadline) throws(FleetError)
    /// Ends the transaction.
    ///
    /// - Throws: An error whose outcome is unknown, if the connection ends meanwhile.
    func commit(by deadline: Deadline) throws(FleetError)

    /// Cancels the transaction.
    func rollback(by deadline: Deadline) throws(FleetError)

    /// Notes that a device begins to exchange the tokens of a record, unless another one is noted.
    ///
    /// - Returns: The device that is noted afterwards.
    func beginExchange(of name: [UInt8], by device: String, deadline: Deadline) throws(FleetError) -> String?
    /// Removes the note about a device's exchange, if it is the one that is noted.
    func endExchange(of name: [UInt8], by device: String, deadline: Deadline) throws(FleetError)

    /// Begins to receive notifications of changes.
    func listen(by deadline: Deadline) throws(FleetError)
    /// Waits for a notification until the deadline. Returns whether one arrived.
    func waitForChange(by deadline: Deadline) throws(FleetError) -> Bool

    /// Closes the connection, and cancels its transaction.
    func close()
}
