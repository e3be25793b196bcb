internal import DesktopSupport
internal import FoundationEssentials
public import SharedAuthRecords

extension FleetRecordStore {
    /// Watches a key, also while the server is away: a change by another process of this device is then reported.
    ///
    /// - Throws: An error of the local store.
    public func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        guard isShared(key) else { return try records.store.watch(key, by: deadline, handler) }
        let copy = try records.store.watch(records.copyKey(of: key), by: deadline, handler)
        let share = listeners.share { end in
            let listener = ChangeListener(for: self, until: end)
            startThread(named: "fleet-listener") { listener.run() }
        }
        let watch = KeyWatch(key: key, on: [copy, share], handler: handler)
        listeners.add(watch)
        return watch
    }
}

// MARK: Steps of a listener

extension FleetRecordStore {
    private static var limit: Deadline { .after(.seconds(10)) }

    /// The id of this device; nil if it belongs to no fleet, or the local store cannot be read.
    var deviceID: String? { (try? records.device(by: Self.limit))?.keys.id }

    /// The times at which the copies of the watched records were confirmed.
    var confirmations: [RecordKey: Date] {
        listeners.keys.reduce(into: [:]) { $0[$1] = (try? records.copy(of: $1, by: Self.limit))?.asOf }
    }

    /// Opens a connection that receives notifications; nil if the server cannot be used.
    func beginListening(by deadline: Deadline) -> Membership? {
        guard let membership = try? connect(by: deadline, isNew: true) else { return nil }
        do throws(FleetError) {
            try membership.session.listen(by: deadline)
            return membership
        } catch {
            membership.session.close()
            return nil
        }
    }

    /// The records of which any process of the device has a copy, and those that this one watches; nil if this device
    /// has another id, or the local store cannot be read.
    func fedKeys(of device: String) -> Set<RecordKey>? {
        guard let present = try? records.device(by: Self.limit), present.keys.id == device else { return nil }
        return Set(present.copies.compactMap { RecordKey(name: $0) }).union(listeners.keys)
    }

    /// Reads records from the server, and takes them as the copies.
    ///
    /// The time of the confirmation stays in memory if a record is the same.
    /// - Returns: False if the connection was lost, or the device may not read.
    func feedCopies(_ keys: Set<RecordKey>, through membership: inout Membership) -> Bool {
        for key in keys {
            do throws(FleetError) {
                let local = try Self.ofFleet { () throws(RecordStoreError) in
                    try records.copy(of: key, by: Self.limit)
                }
                let found = try fetch(key, through: &membership, by: Self.limit)
                let stored = adopt(found, as: key, over: local, isListed: false, storing: .changes, by: Self.limit)
                if stored != nil { feed.noteConfirmation(of: key, at: Date()) }
                // A sign-out is carried out, or a restored backup repaired, in a transaction on another connection.
                if stored == nil { _ = try? update(key, by: Self.limit) { _ in .keep } }
            } catch {
                return false
            }
        }
        return true
    }

    /// Marks the copies as not confirmed, so that each process asks the server, or learns that it is away.
    func disownCopies() {
        let listed = (try? records.device(by: Self.limit))?.copies.compactMap { RecordKey(name: $0) } ?? []
        for key in listeners.keys.union(listed) {
            _ = try? records.updateCopy(of: key, by: Self.limit) { copy in
                guard let asOf = copy.asOf else { return }
                copy.asOf = max(asOf, feed.confirmation(of: key) ?? asOf)
                copy.isUnconfirmed = true
            }
        }
        tellWatches()
    }

    /// Stores the times at which this process has confirmed the copies.
    func storeConfirmations() {
        for (key, time) in feed.confirmations {
            _ = try? records.updateCopy(of: key, by: Self.limit) { copy in
                if copy.isConfirmed, let asOf = copy.asOf { copy.asOf = max(asOf, time) }
            }
        }
    }

    /// Notes that the listening process, which reads the records again after each such time, has confirmed the copies.
    func noteConfirmations(before time: Duration) {
        let latest = Date(timeIntervalSinceNow: -Double(time.components.seconds))
        for key in listeners.keys { feed.noteConfirmation(of: key, at: latest) }
    }

    /// Reports a change to all watches.
    func tellWatches() {
        for watch in listeners.watches { watch.tell(.changed) }
    }

    /// Reads the watched records from the server, because the listening process did not confirm the copies.
    func confirmWatched() {
        for key in listeners.keys {
            do throws(RecordStoreError) {
                if try readServer(key, storing: .confirmation, by: Self.limit) == nil {
                    try update(key, by: Self.limit) { _ in .keep }
                }
            } catch {
                return disownCopies()
            }
        }
    }

    /// Watches the device's list of copies.
    func watchList(_ handler: @escaping @Sendable () -> Void) -> (any RecordWatch)? {
        try? records.store.watch(records.deviceKey, by: Self.limit) { _ in handler() }
    }
}
