public import FoundationEssentials
public import SharedAuth

/// Random ids that identify devices, stored in the keyring for every app of a project; a log-out does not delete them.
///
/// Each id is created on first use, once for all apps. Calls block, and may be made from any thread.
public struct StoredDeviceIDs: Sendable {
    private let records: PassRecords
    private let timeout: Duration

    /// Creates the access to the ids; nothing is read yet.
    public init(in store: any RecordStore, project: String = "adobe.pass", timeout: Duration = .seconds(5)) {
        records = PassRecords(
            store: store,
            scope: .project,
            project: project,
            prefix: "pass-device",
            schema: 1,
            now: { Date() },
            remedy: "Delete it in your keyring application: a new id is made, and this is then another device."
        )
        self.timeout = timeout
    }

    /// Returns the id that replaces the machine's, on a machine without its own; for ``MachineID/init(standIn:)``.
    ///
    /// - Throws: ``PassStoreError`` if the id could not be read or created. A damaged id is an error and left
    ///   unchanged.
    public func machineStandIn() throws(PassStoreError) -> UUID { try id("machine") { $0 ?? UUID() } }

    /// Returns the id for ``DeviceIdentity/advertising(_:)``.
    ///
    /// - Throws: The errors of ``machineStandIn()``.
    public func advertisingID() throws(PassStoreError) -> UUID { try id("advertising") { $0 ?? UUID() } }

    /// Creates a new advertising id: for all apps that use it, this is then another device.
    ///
    /// - Throws: The errors of ``machineStandIn()``; then the id stays. A damaged id is set aside and does not prevent
    ///   the reset.
    @discardableResult
    public func resetAdvertisingID() throws(PassStoreError) -> UUID {
        try id("advertising", ifDamaged: .setAside) { _ in UUID() }
    }

    private func id(
        _ name: String,
        ifDamaged policy: DamagePolicy = .fail,
        _ choose: (UUID?) -> UUID
    ) throws(PassStoreError) -> UUID {
        try records.update(records.key(name), by: .after(timeout), ifDamaged: policy) { (stored: inout UUID?) in
            let id = choose(stored)
            stored = id
            return id
        }
    }
}
