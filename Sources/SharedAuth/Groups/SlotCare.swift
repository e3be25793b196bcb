internal import SecretService

/// What tools do about the users of a slot, whether it is in use or not, that apps have no call for.
extension Auth {
    /// Switches to an access group, or with nil back to the app's own slot, unless the own slot's user would be forgotten who
    /// is not to be: as `useUserAccessGroup(_:)`, with the check and the switch in one operation.
    ///
    /// Who signs in to the own slot after the check stays there.
    /// - Parameter uid: the user of the own slot who may be forgotten; nil: none.
    /// - Returns: the uid of the user who would have been forgotten; nil if the switch was made.
    /// - Throws: as `useUserAccessGroup(_:)`.
    package func useUserAccessGroup(
        _ accessGroup: String?,
        forgettingOnly uid: String?
    ) throws(AuthError) -> String? {
        let target = try slot(named: accessGroup)
        return try session.withOperation { operation throws(AuthError) in
            try operation.switchTo(target, ifAllowed: { $0 == uid })
        }
    }

    /// Signs users out of an access group, or with nil of the app's own slot, without switching there.
    ///
    /// - Parameter uids: the users who are meant, if they are still there; nil: all.
    /// - Returns: the uids of those who were signed out.
    /// - Throws: `recordDamaged` or `recordVersionUnsupported`, and the record stays; `invalidAccessGroup`,
    ///   `accessGroupNotDeclared`, or an error of the keyring.
    package func signOutUsers(
        ofAccessGroup accessGroup: String?,
        only uids: Set<String>? = nil
    ) throws(AuthError) -> [String] {
        let slot = try slot(named: accessGroup)
        return try session.withOperation { operation throws(AuthError) in
            let before = try operation.slots.read(slot, by: operation.deadline).record.accounts.map(\.uid)
            let (contents, _) = try operation.signOut(nil, from: slot, ifDamaged: .fail) { account, _ in
                uids?.contains(account.uid) ?? true
            }
            if slot == operation.state.slot {
                operation.take(contents, in: slot)
            } else if contents.record.current == nil {
                operation.journal.clearKeepers(of: slot, by: operation.deadline)
            }
            return before.filter { contents.record.account($0) == nil }
        }
    }

    /// Sets a damaged record of the users of an access group aside, or with nil of the app's own slot, and leaves its place
    /// empty. One that is missing or can be read is left as it is.
    ///
    /// - Returns: whether it was damaged.
    /// - Throws: `recordVersionUnsupported` for a record of a newer version, which stays; `invalidAccessGroup`,
    ///   `accessGroupNotDeclared`, or an error of the keyring.
    package func setAsideUsersIfDamaged(ofAccessGroup accessGroup: String?) throws(AuthError) -> Bool {
        let slot = try slot(named: accessGroup)
        return try session.withOperation { operation throws(AuthError) in
            do throws(AuthError) {
                _ = try operation.slots.read(slot, by: operation.deadline)
                return false
            } catch {
                guard error.code == .recordDamaged else { throw error }
            }
            // What is kept of a damaged record is its copy.
            let contents = try operation.slots.update(slot, by: operation.deadline, ifDamaged: .setAside) { _ in .keep }
            if slot == operation.state.slot { operation.take(contents, in: slot) }
            return true
        }
    }
}
