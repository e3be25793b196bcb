public import DesktopSupport
internal import FoundationEssentials
public import SharedAuthRecords

/// The fleet of a person: the devices that share the users of access groups through a server.
///
/// Each device has separate keys. The list of devices is signed; the server can neither read records nor add a device.
/// Calls block until the server responds or the deadline passes, and can be made from any thread.
public struct Fleet: Sendable {
    /// A device of the fleet.
    public struct Device: Sendable, Hashable {
        /// A random identifier.
        public let id: String
        /// The name that the person gave it.
        public let name: String
        /// Indicates whether it is this device.
        public let isThisDevice: Bool
    }

    let records: LocalRecords
    let makeServer: @Sendable (ServerAddress) -> any FleetServer

    /// Creates a view of the fleet.
    ///
    /// - Parameter local: The store for this device's keys and copies, the same as the apps' `local` store.
    public init(local: any RecordStore) {
        self.init(LocalRecords(local)) { PostgresServer(address: $0) }
    }

    init(_ records: LocalRecords, server: @escaping @Sendable (ServerAddress) -> any FleetServer) {
        (self.records, makeServer) = (records, server)
    }

    /// The SQL text that an administrator runs once in the database.
    public static var schema: String { PostgresServer.schema }

    // MARK: Joining and leaving

    /// Begins a fleet, of which this device is the first.
    ///
    /// - Throws: `alreadyEnrolled` if this device belongs to a fleet, or the server has one of this person; an error of
    ///   the server.
    public func begin(at address: ServerAddress, deviceName: String, by deadline: Deadline) throws(FleetError) {
        try checkNotEnrolled(by: deadline)
        let keys = DeviceKeys()
        try onServer(at: address, by: deadline) { session throws(FleetError) in
            let listed = try session.listHeaders(after: 0, by: deadline)
            let isTaken = try session.headers(listed, by: deadline).contains { bytes in
                (try? FleetHeader(bytes))?.isSignedByItsDevice == true
            }
            guard !isTaken else {
                throw FleetError(
                    .alreadyEnrolled,
                    "The server has a fleet of this person already.",
                    remedy:
                        "Enrol this device with a code from one of its devices; if all are lost, run sharedauth fleet reset."
                )
            }
            let slot = try session.freeSlot(after: 0, by: deadline)
            let header = try FleetHeader.founding(number: slot, by: keys, named: deviceName).header
            try save(FleetDevice(address: address, keys: keys, name: deviceName, header: header), by: deadline) {
                () throws(FleetError) in try session.add(header: header.bytes, at: slot, by: deadline)
            }
        }
    }

    /// Removes a device, and signs out on all devices, since the removed one knows the present tokens and keys.
    ///
    /// If the device has its own role at the server, that refuses it from then on. Withdraw the role and the certificate,
    /// too: the device keeps the data that it has read.
    /// - Returns: The sessions that the device knows. End them at their issuers.
    /// - Throws: `failed` if the fleet has no device of this id or it is this device; `notEnrolled`; an error of the
    ///   server. Then nothing is changed.
    @discardableResult
    public func remove(_ id: String, by deadline: Deadline) throws(FleetError) -> [Session] {
        try withMembership(by: deadline) { membership throws(FleetError) in
            let (former, header) = (membership, membership.device.header)
            guard header.body.devices.contains(where: { $0.id == id }), id != membership.device.keys.id else {
                throw FleetError(
                    .failed,
                    id == membership.device.keys.id
                        ? "This device cannot remove itself." : "The fleet has no device of this id.",
                    remedy: "Choose an id that sharedauth fleet devices prints for another device."
                )
            }
            let next = try header.removing(id, by: former.device.keys, former.keys).header
            return try former.session.transaction(by: deadline) { () throws(FleetError) in
                try former.session.add(header: next.bytes, at: former.nextSlot, by: deadline)
                try membership.follow(next, in: records, by: deadline)
                let ended = try removeUsers(of: former, through: membership, by: deadline)
                try former.session.removeRoles(of: id, by: deadline)
                return ended
            }
        }
    }

    /// Begins the person's fleet anew with this device as the only one, when all devices are lost. All users sign in
    /// again, and other devices must be enrolled again.
    ///
    /// If this device belongs to the fleet, the others learn that it has ended. Nothing proves it to them otherwise:
    /// those that are found again keep what they have until they leave.
    /// - Throws: An error of the local store or the server. Then nothing is changed.
    public func reset(at address: ServerAddress, deviceName: String, by deadline: Deadline) throws(FleetError) {
        let keys = DeviceKeys()
        try onServer(at: address, by: deadline) { session throws(FleetError) in
            let end = ending(on: session, by: deadline)
            try session.begin(by: deadline)
            if let end {
                try session.attempt(by: deadline) { () throws(FleetError) in
                    try session.add(header: end.header.bytes, at: end.slot, by: deadline.atMost(deadline.remaining / 4))
                }
            }
            let slot = try session.freeSlot(after: 0, by: deadline)
            let header = try FleetHeader.founding(number: slot, by: keys, named: deviceName).header
            try removeCopies(by: deadline)
            try save(FleetDevice(address: address, keys: keys, name: deviceName, header: header), by: deadline) {
                () throws(FleetError) in
                try addFounding(header, after: slot - 1, on: session, by: deadline)
                // The new keys hide the names of the old records, too: whoever holds one keeps nothing from the fleet.
                try session.attempt(by: deadline) { () throws(FleetError) in
                    try session.deleteRecords(by: deadline.atMost(deadline.remaining / 4))
                }
                try session.commit(by: deadline)
            }
        }
    }

    /// Makes this device forget the fleet, its keys, and the copies of shared records. The device stays in the fleet's
    /// list until another one removes it.
    ///
    /// - Throws: `notEnrolled`; `failed` if the local store cannot be changed.
    public func leave(by deadline: Deadline) throws(FleetError) {
        guard try device(by: deadline) != nil else { throw .notEnrolled }
        try removeCopies(by: deadline)
        try FleetRecordStore.ofFleet { () throws(RecordStoreError) in
            try records.updateDevice(by: deadline) { _ in nil }
        }
    }

    // MARK: Reading

    /// Returns the devices of the fleet, as the server knows them.
    ///
    /// - Throws: `notEnrolled`; `removed`, `reset`, `divergedHeader` or `outdated`; an error of the server.
    public func devices(by deadline: Deadline) throws(FleetError) -> [Device] {
        try withMembership(by: deadline) { membership throws(FleetError) in
            membership.listedDevices
        }
    }

    /// Checks whether the server shows that the person's fleet was begun anew without a device of this one, as after the
    /// loss of all devices. Everyone who connects as the person's role can make it look so, so no other call heeds it.
    ///
    /// - Throws: `reset` if it does; otherwise as ``devices(by:)``.
    public func checkForLaterFleet(by deadline: Deadline) throws(FleetError) {
        try withMembership(by: deadline) { membership throws(FleetError) in
            if try membership.showsLaterFleet(by: deadline) { throw .laterFleet }
        }
    }

    /// Returns the server's address and this device's name; nil if the device belongs to no fleet. Does not connect.
    ///
    /// - Throws: `failed` if the local store cannot be read.
    public func enrolment(by deadline: Deadline) throws(FleetError) -> (address: ServerAddress, deviceName: String)? {
        try device(by: deadline).map { ($0.address, $0.name) }
    }

    /// Returns the number and the digest of the latest list of devices that this device has verified. Devices that show
    /// the same number must show the same digest; otherwise the server shows them different lists.
    ///
    /// - Throws: `notEnrolled`; `failed` if the local store cannot be read.
    public func head(by deadline: Deadline) throws(FleetError) -> (number: Int, digest: String) {
        guard let header = try device(by: deadline)?.header else { throw .notEnrolled }
        return (header.number, header.digest.prefix(8).hexadecimal)
    }
}

// MARK: Steps

extension Fleet {
    func device(by deadline: Deadline) throws(FleetError) -> FleetDevice? {
        try FleetRecordStore.ofFleet { () throws(RecordStoreError) in try records.device(by: deadline) }
    }

    func checkNotEnrolled(by deadline: Deadline) throws(FleetError) {
        guard try device(by: deadline) == nil else {
            throw FleetError(
                .alreadyEnrolled,
                "This device belongs to a fleet already.",
                remedy: "Run sharedauth fleet leave first."
            )
        }
    }

    private func removeCopies(by deadline: Deadline) throws(FleetError) {
        guard let device = try device(by: deadline) else { return }
        try FleetRecordStore.ofFleet { () throws(RecordStoreError) in
            for name in device.copies {
                if let key = RecordKey(name: name) { try records.removeCopy(of: key, by: deadline) }
            }
        }
    }

    /// Stores this device's part before `body` tells the server, and restores the former part if that fails for sure:
    /// keys that the server lists are never lost.
    private func save(
        _ device: FleetDevice,
        by deadline: Deadline,
        _ body: () throws(FleetError) -> Void
    ) throws(FleetError) {
        let former = try self.device(by: deadline)
        try FleetRecordStore.ofFleet { () throws(RecordStoreError) in
            try records.updateDevice(by: deadline) { _ in device }
        }
        do throws(FleetError) {
            try body()
        } catch {
            if !error.outcomeIsUnknown { try? records.updateDevice(by: deadline) { _ in former } }
            throw error
        }
    }

    func onServer<Value>(
        at address: ServerAddress,
        by deadline: Deadline,
        _ body: (any FleetSession) throws(FleetError) -> Value
    ) throws(FleetError) -> Value {
        try address.check()
        let session = try makeServer(address).connect(by: deadline)
        defer { session.close() }
        let value = try body(session)
        // Otherwise, the next connection does it.
        if let device = try? device(by: deadline) { try? session.noteUnknown(device.keys.id, by: deadline) }
        return value
    }

    func withMembership<Value>(
        by deadline: Deadline,
        _ body: (inout Membership) throws(FleetError) -> Value
    ) throws(FleetError) -> Value {
        guard let device = try device(by: deadline) else { throw .notEnrolled }
        var membership = try Membership(device, at: makeServer(device.address), by: deadline)
        defer { membership.session.close() }
        try membership.catchUp(in: records, by: deadline)
        try membership.checkRemembered()
        return try body(&membership)
    }

    /// Empties the records that can be read with the former keys, and returns the sessions in them.
    ///
    /// A record that another connection holds stays: under the new keys it is absent.
    private func removeUsers(
        of former: Membership,
        through membership: Membership,
        by deadline: Deadline
    ) throws(FleetError) -> [Session] {
        let session = membership.session
        var (ended, isHeld): ([Session], Bool) = ([], false)
        var page = try session.records(after: [], by: deadline)
        while let last = page.last?.name {
            for (name, record) in page {
                guard let found = former.open(record, named: name) else { continue }
                var content = found.content
                if !isHeld {
                    let isDone = try session.attempt(by: deadline) { () throws(FleetError) in
                        let row = try session.lock(name, by: deadline.atMost(deadline.remaining / 4))
                        content = former.open(row, named: name)?.content
                        let position = Position.next(
                            in: membership.keys.epoch,
                            after: nil,
                            nil,
                            nonce: .random(in: .min ... .max)
                        )
                        let empty = FleetState<UserContent>.Copy(position: position, content: nil)
                        let sealed = try membership.seal(empty, named: name, exchanging: nil)
                        try session.write(sealed, named: name, by: deadline)
                    }
                    isHeld = !isDone
                }
                ended += Session.all(in: content?.payload)
            }
            page = try session.records(after: last, by: deadline)
        }
        return ended
    }
}

// MARK: Resetting

extension Fleet {
    /// Returns the header by which this device ends its fleet, and the slot for it; nil if the server does not know that
    /// fleet, or the device belongs to none.
    private func ending(
        on session: any FleetSession,
        by deadline: Deadline
    ) -> (header: FleetHeader, slot: Int)? {
        guard let device = try? device(by: deadline),
            let listed = try? session.listHeaders(after: device.chain[0].number - 1, by: deadline),
            !Set(listed.map(\.digest)).isDisjoint(with: device.chain.map(\.digest)),
            var membership = try? Membership(device, on: session),
            let last = try? session.lastHeader(by: deadline),
            (try? membership.follow(last, in: records, by: deadline)) != nil,
            let header = try? membership.device.header.ending(by: device.keys)
        else { return nil }
        return (header, membership.nextSlot)
    }

    /// Adds a fleet's first header in the first slot after one that no other connection holds.
    private func addFounding(
        _ header: FleetHeader,
        after slot: Int,
        on session: any FleetSession,
        by deadline: Deadline
    ) throws(FleetError) {
        for slot in slot + 1...slot + 8 {
            let isAdded = try session.attempt(by: deadline) { () throws(FleetError) in
                try session.add(header: header.bytes, at: slot, by: deadline.atMost(deadline.remaining / 8))
            }
            if isAdded { return }
        }
        throw FleetError(.conflict, "Another device changes the fleet at the same time.", remedy: "Try again.")
    }
}
