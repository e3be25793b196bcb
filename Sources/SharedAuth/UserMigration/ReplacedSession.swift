/// A user's session that a migration has removed from its slot, to be kept until ``restore(to:timeout:)``.
///
/// Encoded, it holds the user's tokens: encrypt what you keep of it.
public struct ReplacedSession: Sendable, Codable {
    /// The app in whose own slot it was; nil for the slot of a group.
    public let appID: String?
    /// The access group in whose slot it was; nil for an app's own.
    public let accessGroup: String?
    /// The project that it belongs to.
    public let project: String
    let account: Account

    /// Whose session it is.
    public var uid: String { account.uid }

    init(_ account: Account, in slot: Slot, appID: String?, project: String) {
        self.account = account
        self.appID = slot == .own ? appID : nil
        self.project = project
        accessGroup = slot.groupName
    }
}

extension ReplacedSession: CustomStringConvertible, CustomReflectable {
    /// The uid alone.
    public var description: String { "ReplacedSession(\(uid))" }
    /// Nothing: tokens are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension ReplacedSession {
    /// Puts the session back where it was; if it is there again, it stays as it is. Blocks until the store answers.
    ///
    /// - Parameters:
    ///   - store: where the users are kept.
    ///   - timeout: how long it may take.
    /// - Returns: whether anything was written.
    /// - Throws: `accessGroupOccupied` if another user is signed in there, `recordDamaged`, or an error of the store; then
    ///   nothing changes.
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
            return isWritten ? .store(merge.record) : .keep
        }
        return isWritten
    }
}
