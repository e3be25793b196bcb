internal import FoundationEssentials

/// The age of the state of a slot that a fleet keeps, and the permission to change it.
extension AuthEngine {
    /// The time as of which the state is known, if it comes from a copy of a fleet's record.
    var stateAsOf: Date? {
        let state = state
        if let fleet = state.fleet { return fleet.asOf }
        guard let slot = state.slot, let key = try? slots.key(slot) else { return nil }
        return (slots.store as? any CopyingRecordStore)?.asOf(key)
    }
}

extension Operation {
    /// Checks, before the identity provider is called, that this app can change the slot in use.
    ///
    /// - Throws: `keptOnFleet` if the slot shows a view of a fleet's record; an error of the keyring.
    func checkMayChange() throws(AuthError) {
        if state.fleet == nil { return }
        // The device may have left the fleet.
        try rereadSlot()
        if state.fleet != nil, let slot = state.slot { throw .keptOnFleet(slot) }
    }
}
