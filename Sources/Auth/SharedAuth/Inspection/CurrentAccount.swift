package import DesktopSupport

/// The current account of a slot, for a tool that restores slots. No app is started for it.
package struct CurrentAccount {
    private let slot: Slot
    private let slots: UserSlots

    /// Selects an access group, or with a nil group an app's own slot.
    package init(inAccessGroup group: String?, appID: String?, project: String, store: any RecordStore) {
        slot = group.map(Slot.group) ?? .own
        slots = UserSlots(store: store, appID: appID ?? "", project: project, instance: AuthApp.defaultName)
    }

    /// Returns the current account; nil if there is no current account.
    ///
    /// - Throws: `recordDamaged`, `recordVersionUnsupported`, or an error of the store.
    package func id(by deadline: Deadline) throws(AuthError) -> AccountID? {
        try slots.read(slot, by: deadline).record.current
    }

    /// Makes the account of `others` with this uid current, if the slot has it and a different one of `others` is
    /// current there now.
    ///
    /// - Throws: as `id(by:)`; then nothing changes.
    package func select(
        uid: String,
        among others: Set<AccountID>,
        by deadline: Deadline
    ) throws(AuthError) {
        _ = try slots.update(slot, by: deadline) { found in
            let record = found.record
            guard let current = record.current, current.uid != uid, others.contains(where: { $0.mayMean(current) }),
                let id = record.accounts.map(\.id).first(where: { id in
                    id.uid == uid && others.contains { $0.mayMean(id) }
                })
            else { return .keep }
            return .store(record.selecting(id), in: .full)
        }
    }
}

extension UserMigration {
    /// Returns the users in the target of an app; an empty list if it cannot be read.
    package func accountsAtTarget(of appID: String?) -> [AccountID] {
        (try? slots(of: appID).read(to, by: .after(timeout)).record.accounts.map(\.id)) ?? []
    }
}
