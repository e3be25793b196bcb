internal import SecretService
internal import Synchronization

extension Auth {
    /// Every user stored in an access group, or with nil in the app's own slot, the current one first.
    ///
    /// There is more than one only if an app of the group is configured with `Options.keepsOtherUsers`.
    /// - Throws: as `getStoredUser(forAccessGroup:)`.
    @available(*, noasync)
    public func storedUsers(inAccessGroup accessGroup: String?) throws(AuthError) -> [User] {
        let slot = try slot(named: accessGroup)
        let contents = try read(slot, within: callDeadline)
        let current = contents.record.current
        let accounts = contents.record.accounts
        return (accounts.filter { $0.uid == current } + accounts.filter { $0.uid != current })
            .map { User($0, auth: self, slot: slot) }
    }

    /// Makes another user of the slot in use current, in every app of the group.
    ///
    /// - Throws: `userNotFound` when no user of this uid is stored there, `tenantIDMismatch`, or an error of the keyring;
    ///   then nothing changes.
    @available(*, noasync)
    public func switchCurrentUser(toUID uid: String) throws(AuthError) {
        let operation = try begin()
        defer { operation.end() }
        let slot = try currentSlot()
        let contents = try slots.update(slot, within: operation.deadline) { contents throws(AuthError) in
            guard let account = contents.record.account(uid) else {
                throw AuthError(.userNotFound, "No user of this uid is stored in \(slot.description). Sign in instead.")
            }
            if memory.withLock({ $0.tenantIsChosen }) { try checkTenant(of: account) }
            return contents.record.current == uid ? .keep : .store(contents.record.selecting(uid))
        }
        adopt(contents, in: slot)
    }

    /// Signs one user out of the slot in use, current or not, in every app of the group.
    ///
    /// A uid that is not stored there is nothing to do. If the user was current, nobody is afterwards.
    /// - Throws: an error of the keyring; then nothing changes.
    @available(*, noasync)
    public func signOut(uid: String) throws(AuthError) {
        let operation = try begin()
        defer { operation.end() }
        let slot = try currentSlot()
        try deleteOriginals(of: uid, within: operation.deadline)
        let contents = try slots.update(slot, within: operation.deadline) { contents in
            contents.record.account(uid) == nil ? .keep : .store(contents.record.removing(uid))
        }
        adopt(contents, in: slot)
    }

    /// Signs every user out of the slot in use, in every app of the group. A damaged record is set aside.
    ///
    /// - Throws: an error of the keyring; then nothing changes.
    @available(*, noasync)
    public func signOutAll() throws(AuthError) {
        let operation = try begin()
        defer { operation.end() }
        let slot = try currentSlot()
        try deleteOriginals(ofAllIn: slot, within: operation.deadline)
        let contents = try slots.update(slot, within: operation.deadline, ifDamaged: .setAside) { _ in
            .store(UserRecord())
        }
        adopt(contents, in: slot)
    }
}
