internal import DesktopSupport
internal import FoundationEssentials
internal import SharedAuthRecords

/// A connection to the fleet's server, with the device's keys of the present epoch.
struct Membership: Sendable {
    let session: any FleetSession
    private(set) var device: FleetDevice
    private(set) var keys: FleetKeys

    /// The slot of the server in which the next header is to be added, as of when ``follow(_:in:by:)`` returned: if
    /// another device adds one meanwhile, that takes the same slot.
    private(set) var nextSlot: Int

    /// The error of the local store, if it refused the list of devices that the server showed. A later process then
    /// believes a server that hides the last changes of the fleet.
    private(set) var refusal: RecordStoreError?

    /// Opens a connection. ``follow(_:in:by:)`` is to be called next.
    ///
    /// - Throws: The errors of the server; `removed`, `reset`.
    init(_ device: FleetDevice, at server: any FleetServer, by deadline: Deadline) throws(FleetError) {
        let session = try server.connect(by: deadline)
        do throws(FleetError) {
            try self.init(device, on: session)
            try session.noteUnknown(device.keys.id, by: deadline)
        } catch {
            session.close()
            throw error
        }
    }

    /// Uses an open connection.
    ///
    /// - Throws: `removed`, `reset`.
    init(_ device: FleetDevice, on session: any FleetSession) throws(FleetError) {
        (self.session, self.device) = (session, device)
        keys = try device.header.keys(for: device.keys)
        nextSlot = device.header.number + 1
    }

    var fleet: String { device.header.fleet }

    /// Brings the device and the server to one list of devices.
    ///
    /// - Throws: As ``follow(_:in:by:)``, and the errors of the server.
    mutating func catchUp(in records: LocalRecords, by deadline: Deadline) throws(FleetError) {
        try follow(try session.lastHeader(by: deadline), in: records, by: deadline)
    }

    /// Brings the device and the server to one list of devices, where this is the header in the server's last slot.
    ///
    /// Headers that follow are kept; others are ignored. Headers that the server has lost are added to it.
    /// - Throws: `divergedHeader`, `outdated`, `reset`, `removed`, `schemaVersion`; `conflict` if another device adds a
    ///   header.
    mutating func follow(
        _ last: ListedHeader?,
        in records: LocalRecords,
        by deadline: Deadline
    ) throws(FleetError) {
        if let last, last.digest == device.header.digest {
            nextSlot = last.slot + 1
            return
        }
        // Before the headers are listed: one that is added later takes this slot, or is listed.
        nextSlot = try session.freeSlot(after: device.header.number, by: deadline)
        let (listed, shown) = try unknownHeaders(after: device.numberBefore, by: deadline)
        var device = device
        try device.follow(shown)
        if device.header != self.device.header {
            keys = try device.header.keys(for: device.keys)
            do throws(RecordStoreError) {
                try store(device, in: records, by: deadline)
            } catch {
                refusal = error
            }
            self.device = device
        }
        let missing = try device.headersMissing(besides: listed, shown, hasOwnRole: session.roleDevice != nil)
        if missing.isEmpty { return }
        for header in missing {
            let slot = try session.freeSlot(after: header.number - 1, by: deadline)
            try session.add(header: header.bytes, at: slot, by: deadline)
        }
        nextSlot = try session.freeSlot(after: device.header.number, by: deadline)
        guard try isCurrent(by: deadline) else {
            throw FleetError(.conflict, "Another device changed the fleet at the same time.", remedy: "Try again.")
        }
    }

    /// Keeps a header that this device has just added to the server, in a transaction that is to be committed.
    ///
    /// - Throws: The error of the local store.
    mutating func follow(_ own: FleetHeader, in records: LocalRecords, by deadline: Deadline) throws(FleetError) {
        try device.follow(own)
        keys = try own.keys(for: device.keys)
        do throws(RecordStoreError) {
            try store(device, in: records, by: deadline)
        } catch {
            throw .unremembered(error)
        }
    }

    /// Checks that this device remembers the list of devices as the server shows it.
    ///
    /// - Throws: The error of the local store.
    func checkRemembered() throws(FleetError) {
        if let refusal { throw .unremembered(refusal) }
    }

    /// Returns whether the server shows no header that follows the device's latest one.
    func isCurrent(by deadline: Deadline) throws(FleetError) -> Bool {
        if try session.lastHeader(by: deadline)?.digest == device.header.digest { return true }
        var device = device
        try device.follow(try unknownHeaders(after: device.header.number, by: deadline).bytes)
        return device.header == self.device.header
    }

    /// Returns whether the server shows the beginning of another fleet after the device's latest header.
    func showsLaterFleet(by deadline: Deadline) throws(FleetError) -> Bool {
        try unknownHeaders(after: device.header.number, by: deadline).bytes.contains { bytes in
            guard let header = try? FleetHeader(bytes) else { return false }
            return header.fleet != fleet && header.isSignedByItsDevice
        }
    }

    /// Returns the digests of the headers that the server lists after a slot, and the bytes of those that this device
    /// does not know.
    private func unknownHeaders(
        after slot: Int,
        by deadline: Deadline
    ) throws(FleetError) -> (digests: Set<Data>, bytes: [[UInt8]]) {
        let listed = try session.listHeaders(after: slot, by: deadline)
        let known = Set(device.chain.map(\.digest) + device.former)
        let bytes = try session.headers(listed.filter { !known.contains($0.digest) }, by: deadline)
        return (Set(listed.map(\.digest)), bytes)
    }

    private func store(_ device: FleetDevice, in records: LocalRecords, by deadline: Deadline) throws(RecordStoreError)
    {
        try records.updateDevice(by: deadline) { stored in
            guard let stored, stored.header.number < device.header.number else { return stored }
            return device
        }
    }

    /// Returns the name of a device; nil if the fleet has none of this id.
    func deviceName(_ id: String) -> String? {
        device.header.body.devices.first { $0.id == id }.flatMap { keys.openDeviceName($0.name, of: id) }
    }

    /// The devices of the latest list.
    var listedDevices: [Fleet.Device] {
        device.header.body.devices.map { listed in
            Fleet.Device(id: listed.id, name: deviceName(listed.id) ?? "", isThisDevice: listed.id == device.keys.id)
        }
    }

    /// Decrypts a record. One that no device of the fleet sealed in the present epoch is absent.
    func open(_ record: ServerRecord?, named name: [UInt8]) -> FleetState<UserContent>.Copy? {
        guard let record, let sealed = record.sealed, record.epoch >= keys.epoch,
            let opened = try? keys.open(sealed, named: name, in: fleet)
        else { return nil }
        return .init(position: Position(epoch: keys.epoch, revision: opened.revision), content: opened.content)
    }

    /// Encrypts a record.
    func seal(
        _ copy: FleetState<UserContent>.Copy,
        named name: [UInt8],
        exchanging: String?
    ) throws(FleetError) -> ServerRecord {
        let record = FleetKeys.OpenRecord(revision: copy.position.revision, content: copy.content)
        return ServerRecord(
            epoch: keys.epoch,
            sealed: try keys.seal(record, named: name, in: fleet),
            exchanging: exchanging
        )
    }
}

extension FleetError {
    fileprivate static func unremembered(_ error: RecordStoreError) -> FleetError {
        FleetError(
            .failed,
            "This device could not note the fleet's present list of devices: \(error.message)",
            remedy: error.remedy ?? "Try again; until then, a server could hide that a device was removed."
        )
    }
}
