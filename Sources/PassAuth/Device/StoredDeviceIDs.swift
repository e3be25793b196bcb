public import FoundationEssentials
public import SharedAuth

/// Random ids that identify devices, kept in the keyring for every app of a project; no log-out touches them.
///
/// Each is made when it is first asked for, once for all apps. Calls block, and may be made from any thread.
public struct StoredDeviceIDs: Sendable {
    private let records: PassRecords
    private let timeout: Duration

    /// Gives access to the ids; nothing is read yet.
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

    /// The id that stands in for the machine's, on a machine that has none; for ``MachineID/init(standIn:)``.
    ///
    /// - Throws: what kept it from being read or made; a damaged one is an error, and left where it is.
    public func machineStandIn() throws(PassStoreError) -> UUID { try id("machine") { $0 ?? UUID() } }

    /// The id for ``DeviceIdentity/advertising(_:)``.
    ///
    /// - Throws: as ``machineStandIn()``.
    public func advertisingID() throws(PassStoreError) -> UUID { try id("advertising") { $0 ?? UUID() } }

    /// Makes a new advertising id: from now on this is another device, for all apps that go by it.
    ///
    /// - Throws: as ``machineStandIn()``, and then the id stays; but a damaged one is set aside: that is no obstacle.
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
