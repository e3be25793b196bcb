internal import DesktopSupport
internal import SharedAuthRecords

/// A connection to the fleet's server, with the device's keys of the present epoch.
struct Membership: Sendable {
    let session: any FleetSession
    private(set) var device: FleetDevice
    private(set) var keys: FleetKeys

    /// Opens a connection, and follows the fleet's headers.
    ///
    /// - Throws: The errors of the server and of ``follow(_:in:by:)``.
    init(
        _ device: FleetDevice,
        at server: any FleetServer,
        in records: LocalRecords,
        by deadline: Deadline
    ) throws(FleetError) {
        session = try server.connect(by: deadline)
        self.device = device
        keys = try device.header.keys(for: device.keys)
    }

    var fleet: String { device.header.fleet }

    /// Brings the device and the server to one list of devices, where the server's latest header has this number.
    ///
    /// New headers are verified and kept. Headers that the server has lost are added to it.
    /// - Throws: `forgedHeader`, `divergedHeader`, `reset`, or `removed`.
    mutating func follow(_ number: Int, in records: LocalRecords, by deadline: Deadline) throws(FleetError) {
        if number == device.header.number { return }
        if number < device.header.number {
            let latest = try session.headers(after: max(0, number - 1), by: deadline).first
            for header in try device.headersMissing(after: number == 0 ? nil : latest) {
                try session.add(header: header.bytes, number: header.number, by: deadline)
            }
            return
        }
        var device = device
        try device.follow(try session.headers(after: device.header.number, by: deadline))
        keys = try device.header.keys(for: device.keys)
        self.device = device
        // Without the local store, the headers are verified again next time.
        try? records.updateDevice(by: deadline) { stored in
            guard let stored, stored.header.number < device.header.number else { return stored }
            return device
        }
    }

    /// Returns the name of a device; nil if the fleet has none of this id.
    func deviceName(_ id: String) -> String? {
        device.header.body.devices.first { $0.id == id }.flatMap { keys.openDeviceName($0.name, of: id) }
    }

    /// Decrypts a record. One of an earlier epoch counts as missing: it was removed when a device was.
    ///
    /// - Throws: `forgedRecord` if no device of the fleet sealed it.
    func open(_ record: ServerRecord?, named name: [UInt8]) throws(FleetError) -> FleetState<UserContent>.Copy? {
        guard let record, let sealed = record.sealed, record.epoch >= keys.epoch else { return nil }
        let opened = try keys.open(sealed, named: name, in: fleet)
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
