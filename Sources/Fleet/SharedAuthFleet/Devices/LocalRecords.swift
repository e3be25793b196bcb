internal import Crypto
internal import DesktopSupport
internal import FoundationEssentials
internal import SharedAuthRecords

/// The records that a device keeps in its local store: its part in the fleet, and a copy of each shared record.
struct LocalRecords: Sendable {
    /// The copy of a shared record, with the device's memory of it.
    struct Copy: Hashable, Codable {
        var state = FleetState<UserContent>()
        /// The time at which the server last confirmed the copy.
        var asOf: Date?
        /// True if the process that listens to the server could not confirm the copy since then.
        var isUnconfirmed: Bool?

        /// Indicates whether the server confirmed the copy, and nothing is known to have kept it from that since.
        var isConfirmed: Bool { asOf != nil && isUnconfirmed != true }

        /// Notes that the server has just confirmed the copy.
        mutating func confirm() { (asOf, isUnconfirmed) = (Date(), nil) }
    }

    let store: any RecordStore
    /// Tells machines apart that share the store.
    private let machine: String

    init(_ store: any RecordStore, machineID: String = LocalRecords.machineID) {
        self.store = store
        machine = SHA256.hash(data: Data("SharedAuth fleet \(machineID)".utf8)).prefix(8).hexadecimal
    }

    /// The id of this machine; empty if it has none.
    static var machineID: String {
        MachineIDFile.standardPaths.lazy.compactMap(beginning(ofFile:)).first ?? ""
    }

    /// The key of the device's part in the fleet.
    var deviceKey: RecordKey {
        RecordKey(scope: .project, project: "sharedauth.fleet", instance: "default", kind: "device.\(machine)")
    }

    /// Returns the key of the copy of a shared record.
    func copyKey(of key: RecordKey) -> RecordKey {
        RecordKey(scope: key.scope, project: key.project, instance: key.instance, kind: "fleet.\(machine)")
    }

    // MARK: The device

    /// Returns the device's part in the fleet; nil if it has none.
    func device(by deadline: Deadline) throws(RecordStoreError) -> FleetDevice? {
        switch try store.read(deviceKey, by: deadline) {
        case .none, .empty: return nil
        case .whole(let record):
            return try Self.decode(record.payload)
        case .damaged(let reason):
            throw RecordStoreError(.damaged, "The device's part in the fleet is damaged: \(reason).")
        case .newer(let reason):
            throw RecordStoreError(.newerVersion, "The device's part in the fleet is of a newer version: \(reason).")
        }
    }

    /// Changes the device's part in the fleet while no other process can; nil removes it.
    func updateDevice(
        by deadline: Deadline,
        _ change: (FleetDevice?) -> FleetDevice?
    ) throws(RecordStoreError) {
        var failure: RecordStoreError?
        _ = try store.update(deviceKey, by: deadline) { stored in
            do {
                var present: FleetDevice?
                if case .whole(let record) = stored { present = try Self.decode(record.payload) }
                guard let device = change(present) else { return .delete }
                return .write(try VersionedPayload("fleetDevice", 1, device).bytes)
            } catch {
                failure = error as? RecordStoreError ?? RecordStoreError(.failed, "The device cannot be encoded.")
                return .keep
            }
        }
        if let failure { throw failure }
    }

    private static func decode(_ payload: [UInt8]) throws(RecordStoreError) -> FleetDevice {
        do {
            return try VersionedPayload<FleetDevice>.content(of: payload, "fleetDevice", upTo: 1)
        } catch {
            switch error {
            case .newer(let reason):
                throw RecordStoreError(
                    .newerVersion,
                    "The device's part in the fleet is of a newer version: \(reason)."
                )
            case .empty, .damaged:
                throw RecordStoreError(
                    .damaged,
                    "The device's part in the fleet is damaged: \(error.reason).",
                    remedy: "Run sharedauth fleet leave, then enrol the device again."
                )
            }
        }
    }

    // MARK: Copies

    /// Returns the copy of a shared record. A damaged copy counts as missing.
    func copy(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> Copy {
        Self.copy(in: try store.read(copyKey(of: key), by: deadline))
    }

    /// Changes the copy of a shared record while no other process can, and the view of it. Writes nothing if the copy
    /// stays the same.
    ///
    /// - Parameter replacingLocalUsers: Whether the view replaces a record that an app without the fleet has stored.
    @discardableResult
    func updateCopy<Value>(
        of key: RecordKey,
        replacingLocalUsers: Bool = false,
        by deadline: Deadline,
        _ change: (inout Copy) -> Value
    ) throws(RecordStoreError) -> Value? {
        var value: Value?
        var isNew = false
        var written: Copy?
        _ = try store.update(copyKey(of: key), by: deadline) { stored in
            var copy = Self.copy(in: stored)
            let before = copy
            value = change(&copy)
            guard copy != before, let payload = try? VersionedPayload("fleetCopy", 1, copy).bytes
            else { return .keep }
            written = copy
            if case .damaged = stored { return .replaceDamaged(payload) }
            if case .none = stored { isNew = true }
            return .write(payload)
        }
        if isNew { try list(key, by: deadline) }
        if let written { show(written, of: key, replacingLocalUsers: replacingLocalUsers, by: deadline) }
        return value
    }

    /// Adds a record to the device's list of copies.
    func list(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        try updateDevice(by: deadline) { device in
            var device = device
            device?.copies.insert(key.name)
            return device
        }
    }

    /// Shows the copy to the apps of this device that do not use the fleet. A failure is made up for with the next
    /// confirmation of the copy.
    private func show(_ copy: Copy, of key: RecordKey, replacingLocalUsers: Bool, by deadline: Deadline) {
        guard let payload = LocalView.payload(of: copy), let stored = try? store.read(key, by: deadline) else { return }
        if case .keep = LocalView.change(of: stored, to: payload, replacing: replacingLocalUsers) { return }
        _ = try? store.update(key, by: deadline) { stored in
            LocalView.change(of: stored, to: payload, replacing: replacingLocalUsers)
        }
    }

    /// Removes the copy of a shared record, and the view of it.
    func removeCopy(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        _ = try store.update(copyKey(of: key), by: deadline) { stored in
            if case .damaged = stored { .removeDamaged } else { .delete }
        }
        _ = try store.update(key, by: deadline) { LocalView.removal(of: $0) }
    }

    private static func copy(in stored: StoredRecord) -> Copy {
        guard case .whole(let record) = stored else { return Copy() }
        return (try? VersionedPayload<Copy>.content(of: record.payload, "fleetCopy", upTo: 1)) ?? Copy()
    }
}
