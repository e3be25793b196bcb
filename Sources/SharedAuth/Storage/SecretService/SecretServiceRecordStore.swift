public import SecretService
internal import Synchronization

/// Keeps records in the desktop's Secret Service, one item each.
///
/// A record is replaced in one step, which is also what makes peers hear of it. Reading a record again costs one round
/// trip to the provider, because its item's path is remembered; changing it costs that and the write, since the bus
/// grants the lock while the read is on its way.
public final class SecretServiceRecordStore: RecordStore {
    let service: SecretService
    package let collection: RecordCollection
    let places = Places()
    let random: @Sendable () -> UInt64
    let lock: any CrossProcessLock
    /// The items that could not be set aside.
    let unhealed = Mutex<[RecordKey: Set<SecretItem>]>([:])
    private let hub: WatchHub

    /// Makes a store on a Secret Service, whose new records go to this collection; nothing is connected yet.
    public init(
        _ service: SecretService,
        collection: RecordCollection = .standard,
        locking: CrossProcessLocking = .automatic
    ) {
        self.service = service
        self.collection = collection
        lock = locking.makeLock(on: service)
        hub = WatchHub(service: service, places: places)
        random = { .random(in: .min ... .max) }
    }

    /// The Secret Service.
    public var kind: RecordStoreKind { .secretService }

    /// Reads what is stored under `key`.
    public func read(_ key: RecordKey, within deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        let finding: Finding
        do {
            finding = try find(key, within: deadline)
        } catch {
            throw RecordStoreError(error)
        }
        // Where it failed, only a change of the record tries again: everyone who watches hears of each attempt, and reads.
        guard finding.needsHealing, unhealed.withLock({ $0[key] != finding.restItems }) else { return finding.stored }
        // More than one item is in the record's place: mended under the lock, by an update that changes nothing.
        return (try? update(key, within: deadline) { _ in .keep }) ?? finding.stored
    }

    /// Changes the record while no other process can.
    @discardableResult
    public func update(
        _ key: RecordKey,
        within deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        let (hold, found) = try lock.acquire(key.lockName("org.sharedauth.lock"), within: deadline) {
            Result { () throws(SecretServiceError) in try find(key, within: deadline) }
        }
        defer { hold.turn.end() }
        var finding: Finding
        do {
            finding = try found.get()
            if finding.needsHealing { finding = try heal(finding, key, within: deadline) }
        } catch {
            throw RecordStoreError(error)
        }
        let change = decide(finding.stored)
        if let refusal = finding.stored.refusal(of: change) { throw refusal }
        let stored: StoredRecord
        do {
            stored = try carryOut(change, on: finding, key, within: deadline)
            if hold.isShared { return stored }
        } catch {
            throw RecordStoreError(error)
        }
        try confirm(stored, after: change, key, within: deadline)
        return stored
    }

    /// Waits for the turn of this name.
    public func takeTurn(
        _ name: String,
        for key: RecordKey,
        within deadline: Deadline
    ) throws(RecordStoreError) -> any Turn {
        try lock.acquire(key.lockName("org.sharedauth.\(name)"), within: deadline).turn
    }

    /// Watches a key.
    public func watch(
        _ key: RecordKey,
        within deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        do {
            return try hub.watch(key, within: deadline, handler)
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Where no lock is shared with every other process, looks whether another wrote at the same time.
    private func confirm(
        _ stored: StoredRecord,
        after change: RecordChange,
        _ key: RecordKey,
        within deadline: Deadline
    ) throws(RecordStoreError) {
        if case .keep = change { return }
        let found: StoredRecord
        do {
            found = try read(key, within: deadline)
        } catch {
            throw RecordStoreError(error.code, error.message, outcomeIsUnknown: true, underlying: error)
        }
        if found.revision == stored.revision { return }
        throw RecordStoreError(
            .conflict,
            "Another process changed \(key) at the same time, and this sandbox lets no lock be shared with it. "
                + "Allow the app to own the bus names org.sharedauth.*"
        )
    }
}

extension StoredRecord {
    /// The revision of a whole record.
    var revision: Revision? { if case .whole(let record) = self { record.revision } else { nil } }

    /// Why a change may not be made of what is stored.
    func refusal(of change: RecordChange) -> RecordStoreError? {
        switch (change, self) {
        case (.keep, _): nil
        case (_, .newer(let reason)): RecordStoreError(.newerVersion, "The record is of a newer version: \(reason).")
        case (.write, .damaged(let reason)), (.delete, .damaged(let reason)):
            RecordStoreError(.damaged, "The stored record is damaged: \(reason).")
        default: nil
        }
    }
}
