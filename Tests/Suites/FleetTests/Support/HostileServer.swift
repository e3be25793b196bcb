import Crypto
import DesktopSupport
import FoundationEssentials
import SharedAuthRecords
import Synchronization
import TestSupport

@testable import SharedAuthFleet

/// A server in memory that a test makes lie, fail, or vanish.
final class HostileServer: FleetServer {
    struct Contents: Sendable {
        var headers: [[UInt8]] = []
        var records: [[UInt8]: ServerRecord] = [:]
    }

    /// The point at which the connection breaks, once.
    enum Break: Sendable {
        case beforeCommit, afterCommit
    }

    private struct State {
        var contents = Contents()
        var isAway = false
        var pendingBreak: Break?
        var withholdsChanges = false
        var beforeTransaction: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let locks = NamedLocks()
    private let changes = Monitor(0)
    /// The stored data; a test saves it, restores it, and changes it.
    var contents: Contents {
        get { state.withLock { $0.contents } }
        set { state.withLock { $0.contents = newValue } }
    }

    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// Indicates whether changes are not reported to listeners.
    var withholdsChanges: Bool {
        get { state.withLock { $0.withholdsChanges } }
        set { state.withLock { $0.withholdsChanges = newValue } }
    }

    /// Does something when the next transaction begins.
    func beforeNextTransaction(_ act: @escaping @Sendable () -> Void) { state.withLock { $0.beforeTransaction = act } }

    /// Waits until the contents have a property.
    func wait(until isReached: (Contents) -> Bool) {
        _ = changes.wait(until: .patient) { _ in isReached(contents) ? true : nil }
    }

    /// Changes the contents as another device does.
    func change(_ change: (inout Contents) -> Void) {
        state.withLock { change(&$0.contents) }
        changes.update { $0 += 1 }
    }

    func breakConnection(_ point: Break) { state.withLock { $0.pendingBreak = point } }

    func connect(by deadline: Deadline) throws(FleetError) -> any FleetSession {
        if isAway { throw FleetError(connecting: "") }
        return Session(self)
    }

    /// A connection. Its writes are made when it commits; its locks are freed then.
    private final class Session: FleetSession {
        private struct Transaction {
            var headers: [[UInt8]] = []
            var records: [[UInt8]: ServerRecord] = [:]
            var deletes = false
            var locks: [NamedLock] = []
            var marked = 0
        }

        let schemaVersion = SchemaCheck.versions.upperBound
        private let server: HostileServer
        private let transaction = Mutex<Transaction?>(nil)
        private let isClosed = Mutex(false)
        /// The number of changes of which the connection has learned.
        private let heard = Mutex(0)

        init(_ server: HostileServer) { self.server = server }

        deinit { close() }

        var isUsable: Bool { !isClosed.withLock { $0 } && !server.isAway }

        private func check() throws(FleetError) {
            guard isUsable else { throw .lostConnection }
        }

        private var headers: [[UInt8]] { server.contents.headers + (transaction.withLock { $0?.headers } ?? []) }

        private static func listed(_ headers: [[UInt8]]) -> [ListedHeader] {
            headers.enumerated().map { index, bytes in
                let digest = Data(SHA256.hash(data: bytes))
                return ListedHeader(slot: index + 1, digest: digest, size: bytes.count)
            }
        }

        func lastHeader(by deadline: Deadline) throws(FleetError) -> ListedHeader? {
            try check()
            return Self.listed(headers).last
        }

        func listHeaders(after slot: Int, by deadline: Deadline) throws(FleetError) -> [ListedHeader] {
            try check()
            return Self.listed(headers).filter { $0.slot > slot }
        }

        func headers(_ listed: [ListedHeader], by deadline: Deadline) throws(FleetError) -> [[UInt8]] {
            try check()
            return listed.compactMap { header in
                headers.indices.contains(header.slot - 1) ? headers[header.slot - 1] : nil
            }
        }

        func freeSlot(after slot: Int, by deadline: Deadline) throws(FleetError) -> Int {
            try check()
            return max(slot, headers.count) + 1
        }

        func add(header: [UInt8], at slot: Int, by deadline: Deadline) throws(FleetError) {
            guard slot == headers.count + 1 else { throw FleetError(state: "23505") }
            let isPending = transaction.withLock { transaction in
                transaction?.headers.append(header)
                return transaction != nil
            }
            if !isPending { server.contents.headers.append(header) }
        }

        func read(
            _ name: [UInt8],
            by deadline: Deadline
        ) throws(FleetError) -> (record: ServerRecord?, header: ListedHeader?) {
            try check()
            let contents = server.contents
            return (contents.records[name], Self.listed(contents.headers).last)
        }

        func records(
            after name: [UInt8],
            by deadline: Deadline
        ) throws(FleetError) -> [(name: [UInt8], record: ServerRecord)] {
            try check()
            return server.contents.records.filter { name.lexicographicallyPrecedes($0.key) }
                .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { (name: $0.key, record: $0.value) }
        }

        func begin(by deadline: Deadline) throws(FleetError) {
            try check()
            let act = server.state.withLock { state in
                defer { state.beforeTransaction = nil }
                return state.beforeTransaction
            }
            act?()
            transaction.withLock { $0 = Transaction() }
        }

        func lock(_ name: [UInt8], by deadline: Deadline) throws(FleetError) -> ServerRecord {
            try take("record \(name)", by: deadline)
            return server.contents.records[name] ?? ServerRecord(epoch: 0)
        }

        func lockTurn(_ name: [UInt8], by deadline: Deadline) throws(FleetError) {
            try take("turn \(name)", by: deadline)
        }

        private func take(_ name: String, by deadline: Deadline) throws(FleetError) {
            try check()
            do throws(RecordStoreError) {
                let lock = try server.locks.acquire(name, by: deadline)
                transaction.withLock { $0?.locks.append(lock) }
            } catch {
                throw FleetError(state: "55P03")
            }
        }

        func write(_ record: ServerRecord, named name: [UInt8], by deadline: Deadline) throws(FleetError) {
            try check()
            transaction.withLock { $0?.records[name] = record }
        }

        func deleteRecords(by deadline: Deadline) throws(FleetError) {
            try check()
            transaction.withLock { $0?.deletes = true }
        }

        func mark(by deadline: Deadline) throws(FleetError) {
            try check()
            transaction.withLock { transaction in
                let count = transaction?.locks.count ?? 0
                transaction?.marked = count
            }
        }

        func undo(by deadline: Deadline) throws(FleetError) {
            try check()
            transaction.withLock { transaction in
                guard let marked = transaction?.marked, let locks = transaction?.locks else { return }
                for lock in locks.dropFirst(marked) { lock.release() }
                transaction?.locks = Array(locks.prefix(marked))
            }
        }

        func commit(by deadline: Deadline) throws(FleetError) {
            try check()
            let breaks = server.state.withLock { state in
                defer { state.pendingBreak = nil }
                return state.pendingBreak
            }
            if breaks == .beforeCommit {
                close()
                throw .unknownOutcome
            }
            defer { end() }
            guard let written = transaction.withLock({ $0 }) else { return }
            server.state.withLock { state in
                if written.deletes { state.contents.records = [:] }
                state.contents.headers += written.headers
                state.contents.records.merge(written.records) { $1 }
            }
            if !written.records.isEmpty, !server.withholdsChanges { server.changes.update { $0 += 1 } }
            if breaks == .afterCommit {
                close()
                throw .unknownOutcome
            }
        }

        func rollback(by deadline: Deadline) throws(FleetError) { end() }

        func beginExchange(
            of name: [UInt8],
            by device: String,
            replacing former: String?,
            deadline: Deadline
        ) throws(FleetError) -> String? {
            try check()
            return server.state.withLock { state in
                var noted = state.contents.records[name]?.exchanging ?? device
                if noted == former { noted = device }
                state.contents.records[name, default: ServerRecord(epoch: 0)].exchanging = noted
                return noted
            }
        }

        func endExchange(of name: [UInt8], by device: String, deadline: Deadline) throws(FleetError) {
            try check()
            server.state.withLock { state in
                if state.contents.records[name]?.exchanging == device { state.contents.records[name]?.exchanging = nil }
            }
        }

        var roleDevice: SchemaCheck.Device? { nil }
        func note(device: String, by deadline: Deadline) throws(FleetError) {}
        func removeRoles(of device: String, by deadline: Deadline) throws(FleetError) { try check() }
        func roles(by deadline: Deadline) throws(FleetError) -> [ServerRole] { [] }

        func listen(by deadline: Deadline) throws(FleetError) {
            try check()
            let present = server.changes.update { $0 }
            heard.withLock { $0 = present }
        }

        func waitForChange(by deadline: Deadline) throws(FleetError) -> Bool {
            try check()
            let heard = heard.withLock { $0 }
            let change = server.changes.wait(until: deadline) { $0 != heard ? $0 : nil }
            if let change { self.heard.withLock { $0 = change } }
            return change != nil
        }

        func close() {
            isClosed.withLock { $0 = true }
            end()
        }

        private func end() {
            let locks = transaction.withLock { transaction in
                defer { transaction = nil }
                return transaction?.locks ?? []
            }
            for lock in locks { lock.release() }
        }
    }
}

extension FleetError {
    fileprivate static var unknownOutcome: FleetError {
        FleetError(.away, lostConnection.message, remedy: lostConnection.remedy, outcomeIsUnknown: true)
    }
}

extension TestDevice {
    /// Returns a device on a server in memory that is the first of its fleet, or joins that of `sponsor`.
    static func on(_ server: HostileServer, enrolledBy sponsor: TestDevice? = nil, named name: String = "second") throws
        -> TestDevice
    {
        let device = TestDevice { _ in server }
        let address = ServerAddress(host: "server.example", database: "fleet", role: "alice")
        if let sponsor {
            try sponsor.enrol(device, named: name, at: address)
        } else {
            try device.fleet.begin(at: address, deviceName: "first", by: .patient)
        }
        return device
    }
}

/// Returns the fleet's error with which calls fail; nil if they succeed.
func failure(_ body: () throws -> Void) -> FleetError? {
    do {
        try body()
        return nil
    } catch {
        return (error as? RecordStoreError)?.ofFleet ?? error as? FleetError
    }
}
