public import SecretService
public import SharedAuth

/// Shows a programmer's sessions as users, so that an `Auth` on it is a view of the token stores: give it to
/// `AuthApp.Options.store` as `.custom`.
///
/// In an access group, or with nil in the app's private store, the user is whoever the programmer's session there belongs
/// to: `uid` is the token's user id, `providerData` names the provider (MVPD), and the ID token is the authentication token
/// in base64. Nothing is stored a second time. A sign-out of that user is a log-out of the whole store, in the same one
/// write, and a log-out of the store signs the user out, in every app of the group. A slot that the user leaves is logged out
/// too: the private store by joining a group, as Firebase does, and any slot by migration.
///
/// Pass has no refresh tokens: configure the app without an identity provider. In the last five minutes before the expiry
/// `getIDToken` then fails with `operationNotAllowed`.
///
/// Only users of Pass sessions can be stored, by migration or `updateCurrentUser`, and one in each slot. An expired session
/// is no user any more: a timer has the `Auth` look again when the token expires, so `currentUser` is nil from then on, and
/// listeners hear of it, unless the app was configured not to observe other processes. Records other than users are the
/// underlying store's.
public struct PassUserStore: RecordStore {
    /// The programmer.
    public let requestor: RequestorConfiguration
    let base: any RecordStore
    private let appID: String
    private let device: DeviceIdentity
    private let options: PassTokenStore.Options
    let alarms: ExpiryAlarms

    /// Makes the view of its parts, which are taken as they are; parameters are as of ``PassTokenStore``. ``PassSetup`` makes
    /// one of an app that is checked.
    ///
    /// - Parameter appID: The id that the app's `AuthApp` has too.
    public init(
        of requestor: RequestorConfiguration,
        appID: String,
        in store: any RecordStore,
        device: DeviceIdentity,
        options: PassTokenStore.Options = .init()
    ) {
        self.requestor = requestor
        self.appID = appID
        base = store
        self.device = device
        self.options = options
        alarms = ExpiryAlarms(now: options.now)
    }

    /// The tokens that users of a group are shown of, or with nil the app's private ones.
    public func tokens(in group: AccessGroup?) -> PassTokenStore {
        PassTokenStore(appID: appID, group: group, in: base, device: device, options: options)
    }

    /// The underlying store's.
    public var kind: RecordStoreKind { base.kind }

    /// As the underlying store.
    public func status(within deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        try base.status(within: deadline)
    }

    /// As the underlying store.
    public func isDurableOnAcknowledge(within deadline: Deadline) throws(RecordStoreError) -> Bool {
        try base.isDurableOnAcknowledge(within: deadline)
    }

    /// As the underlying store.
    public func provider(within deadline: Deadline) throws(RecordStoreError) -> String? {
        try base.provider(within: deadline)
    }

    /// As the underlying store.
    public func takeTurn(
        _ name: String,
        for key: RecordKey,
        within deadline: Deadline
    ) throws(RecordStoreError) -> any Turn {
        try base.takeTurn(name, for: key, within: deadline)
    }

    /// As the underlying store.
    public func unlock(within deadline: Deadline) throws(RecordStoreError) { try base.unlock(within: deadline) }

    /// As the underlying store.
    public func createCollection(for key: RecordKey, within deadline: Deadline) throws(RecordStoreError) {
        try base.createCollection(for: tokens(behind: key)?.records.indexKey ?? key, within: deadline)
    }

    /// As the underlying store; of a user, for what the session depends on.
    public func forgetLocation(of key: RecordKey) {
        base.forgetLocation(of: tokens(behind: key)?.records.indexKey ?? key)
    }

    /// As the underlying store; of a user, for what the session depends on.
    public func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        try base.repairDuplicates(of: tokens(behind: key)?.records.indexKey ?? key, by: deadline)
    }

    /// Watches a key; of a user, what the session depends on.
    public func watch(
        _ key: RecordKey,
        within deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        guard let tokens = tokens(behind: key) else { return try base.watch(key, within: deadline, handler) }
        var watches: [any RecordWatch] = []
        for part in tokens.layouts {
            watches.append(try base.watch(part.records.indexKey, within: deadline, handler))
        }
        return alarms.watch(key, watches, handler)
    }

    /// Shows a session as a user, and has those who watch look again when its token expires.
    func view(of session: PassSession?, under key: RecordKey) throws(PassStoreError) -> UserView {
        alarms.set(session?.token.expires, of: key)
        return try UserView(of: session, under: key)
    }

    /// The tokens that a user record is a view of; nil for any other record.
    func tokens(behind key: RecordKey) -> PassTokenStore? {
        guard key.kind == "user" else { return nil }
        return switch key.scope {
        case .app(let appID):
            PassTokenStore(appID: appID, group: nil, in: base, device: device, options: options)
        case .group(let name):
            (try? AccessGroup(name)).map { tokens(in: $0) }
        case .project: nil
        }
    }
}
