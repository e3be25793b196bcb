public import DesktopSupport

/// A user's session that a migration has removed from its slot, to be kept for ``restore(to:timeout:)``.
///
/// Its encoded form contains the user's tokens: encrypt it if you keep it.
public struct ReplacedSession: Sendable, Codable {
    /// The app whose own slot held the session; nil for the slot of a group.
    public let appID: String?
    /// The access group whose slot held the session; nil for an app's own slot.
    public let accessGroup: String?
    /// The project of the session.
    public let project: String
    let account: Account

    /// The uid of the session's user.
    public var uid: String { account.uid }

    init(_ account: Account, in slot: Slot, appID: String?, project: String) {
        self.account = account
        self.appID = slot == .own ? appID : nil
        self.project = project
        accessGroup = slot.groupName
    }
}

extension ReplacedSession: Redacted {
    /// The uid alone.
    public var description: String { "ReplacedSession(\(uid))" }
}

extension ReplacedSession {
    /// Restores the session to its slot. If it is there again, it stays as it is. Blocks until the store responds.
    ///
    /// - Parameters:
    ///   - store: the store of the users.
    ///   - timeout: the time limit.
    /// - Returns: true if anything was written.
    /// - Throws: `accessGroupOccupied` if another user is signed in there, `recordDamaged`, or an error of the store;
    ///   then nothing changes.
    @discardableResult
    public func restore(
        to store: RecordStoreFactory = .secretService(),
        timeout: Duration = .seconds(5)
    ) throws(AuthError) -> Bool {
        let slot = accessGroup.map(Slot.group) ?? .own
        let slots = UserSlots(
            store: store.make(),
            appID: appID ?? "",
            project: project,
            instance: AuthApp.defaultName
        )
        var isWritten = false
        _ = try slots.update(slot, by: .after(timeout)) { found throws(AuthError) in
            let returning = UserRecord().signingIn(account)
            let merge = try AccountMerge(returning, into: found.record, ifOccupied: .fail, in: slot)
            isWritten = merge.record != found.record
            return isWritten ? .store(merge.record, in: .full) : .keep
        }
        return isWritten
    }
}
