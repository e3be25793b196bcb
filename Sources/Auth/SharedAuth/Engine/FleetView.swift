internal import FoundationEssentials
internal import Synchronization

/// The age of the state of a slot that a fleet keeps.
extension AuthEngine {
    /// The time as of which the state is known, if it comes from a copy of a fleet's record.
    var stateAsOf: Date? {
        let state = state
        if let fleet = state.fleet { return fleet.asOf }
        guard let slot = state.slot, let key = try? slots.key(slot) else { return nil }
        return (slots.store as? any CopyingRecordStore)?.asOf(key)
    }
}

/// Whether the users of access groups are shared with the person's other devices, as the store decides.
extension AuthEngine {
    /// The value that the app has set, or else that of the store.
    var sharesAcrossDevices: Bool {
        get { requestedSharing.withLock { $0 } ?? isOnFleet }
        set { requestedSharing.withLock { $0 = newValue } }
    }

    private var isOnFleet: Bool { slots.store is any CopyingRecordStore }

    /// Checks that the store does what the app has set.
    ///
    /// - Throws: `operationNotAllowed` if it does not.
    func checkSharing() throws(AuthError) {
        if sharesAcrossDevices == isOnFleet { return }
        throw AuthError(
            .operationNotAllowed,
            isOnFleet
                ? "This app's store shares the users of every access group with the person's other devices."
                : "This app's store shares no access group with the person's other devices.",
            remedy: isOnFleet
                ? "Set shareAuthStateAcrossDevices to true, or choose a store of this device in Options.store."
                : "Set Options.store to .fleet() of the module SharedAuthFleet."
        )
    }
}

extension Operation {
    /// Checks that this app can change the slot in use.
    ///
    /// - Throws: `keptOnFleet` if the slot shows a view of a fleet's record; an error of the keyring.
    func checkMayChange() throws(AuthError) {
        if state.fleet == nil { return }
        // The device may have left the fleet.
        try rereadSlot()
        if state.fleet != nil, let slot = state.slot { throw .keptOnFleet(slot) }
    }
}
