internal import SecretService
internal import Synchronization

extension Auth {
    /// The access group in use, as stored by the last `useUserAccessGroup`; nil when the app keeps its user to itself.
    public var userAccessGroup: String? {
        afterFirstLoad { $0.choice?.slot.groupName }
    }

    /// Switches to an access group, or with nil back to the app's own slot (Firebase: `useUserAccessGroup`).
    ///
    /// The user of the target becomes current; if there is none, nobody is signed in. Switching from the own slot to a
    /// group deletes the own slot's user, switching back deletes nothing. The choice survives a restart. The group in
    /// use may be given again, which reads it anew.
    /// - Throws: `invalidAccessGroup`, `accessGroupNotDeclared`, `tenantIDMismatch`, or an error of the keyring or the
    ///   state directory; then group, user and stored choice are as before.
    public func useUserAccessGroup(_ accessGroup: String?) throws(AuthError) {
        let target = try slot(named: accessGroup)
        let operation = try begin()
        defer { operation.end() }
        try switchTo(target, operation)
    }

    /// The user stored in an access group, or with nil in the app's own slot, without switching to it; nil when there
    /// is none (Firebase: `getStoredUser`).
    ///
    /// - Throws: `invalidAccessGroup`, `accessGroupNotDeclared`, or an error of the keyring: locked, unavailable and
    ///   damaged are never "no user".
    public func getStoredUser(forAccessGroup accessGroup: String?) throws(AuthError) -> User? {
        let slot = try slot(named: accessGroup)
        let contents = try read(slot, within: callDeadline)
        return contents.record.currentAccount.map { User($0, auth: self, slot: slot) }
    }

    /// The slot of an access group that this app may use, or with nil its own.
    func slot(named accessGroup: String?) throws(AuthError) -> Slot {
        if let misconfiguration { throw misconfiguration }
        guard let accessGroup else { return .own }
        return Slot(try identity.accessGroup(named: accessGroup))
    }
}
