public import SharedAuth

/// Shows a programmer's sessions as users, so that an `Auth` becomes a view of the token stores. Pass it to
/// `AuthApp.Options.store` as `.custom`.
///
/// In an access group, or with nil in the app's private store, the user is the owner of the programmer's session: `uid`
/// is the token's user id, `providerData` names the TV provider (MVPD), and the ID token is the authentication token in
/// base64. Nothing is stored a second time. A sign-out of that user logs out the whole store in the same write, and a
/// log-out of the store signs the user out, in every app of the group. If an ``AccessEnabler`` follows this store, it
/// then also logs out at the server. A slot that the user leaves is logged out too: the private store by joining a
/// group, as in Firebase, and any slot by migration.
///
/// Pass has no refresh tokens: configure the app without an identity provider. In the last five minutes before the
/// expiry `getIDToken` then fails with `operationNotAllowed`.
///
/// Only users of Pass sessions can be stored, by migration or `updateCurrentUser`, and one in each slot. An expired
/// session is no longer a user: a timer makes the `Auth` read again when the token expires, so `currentUser` becomes
/// nil and listeners are called, unless the app was configured not to observe other processes. All other records are
/// passed on to the underlying store.
public struct PassUserStore: RecordStore {
    /// The programmer.
    public let requestor: RequestorConfiguration
    private let base: any RecordStore
    private let appID: String
    private let device: DeviceIdentity
    private let options: PassTokenStore.Options
    private let alarms: ExpiryAlarms
    let signOuts = SignOutNotice()

    /// Creates the view from its parts, which are not checked; the parameters are those of ``PassTokenStore``. Use
    /// ``PassSetup`` to create the view for an app whose values are checked.
    ///
    /// - Parameters:
    ///   - requestor: The programmer whose sessions are shown.
    ///   - appID: The app id, the same as that of the app's `AuthApp`.
    ///   - store: The store for tokens and other records.
    ///   - device: The device that tokens are bound to.
    ///   - options: The options of the token stores.
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

    /// Returns the tokens behind the users of a group, or with nil the app's private ones.
    public func tokens(in group: AccessGroup?) -> PassTokenStore {
        PassTokenStore(appID: appID, group: group, in: base, device: device, options: options)
    }

    /// Reads a record; a user is computed from the current session.
    public func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        guard let tokens = tokens(behind: key) else { return try base.read(key, by: deadline) }
        do throws(PassStoreError) {
            return try view(of: try tokens.session(of: requestor, by: deadline), under: key).stored
        } catch {
            return try stored(error)
        }
    }

    /// Asks the underlying store.
    public func checkWritable(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        try base.checkWritable(tokens(behind: key)?.records.indexKey ?? key, by: deadline)
    }

    /// Changes a record; the deletion of a user is a log-out, and a new user is a sign-in.
    @discardableResult
    public func update(
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        guard let tokens = tokens(behind: key) else { return try base.update(key, by: deadline, decide) }
        do throws(PassStoreError) {
            var announced: String?
            while true {
                if let announced {
                    try tokens.records.remember(announced, by: deadline)
                    try tokens.records.updateIndex(by: deadline) { $0.announce(announced) }
                }
                switch try change(tokens, key, by: deadline, decide) {
                case .unchanged(let view):
                    return view.stored
                case .loggedOut(let session):
                    signOuts.noteRemoved(session, from: tokens)
                    for part in tokens.layouts { part.sweepAfterLogOut(by: deadline) }
                    return .none
                case .signedIn(let view, let token, let left):
                    signOuts.noteStored(token, in: tokens)
                    tokens.sweep(left, by: deadline)
                    try tokens.updateOwnChoice(token.mvpd, canAuthenticate: true, of: requestor.id, by: deadline)
                    return view.stored
                case .unannounced(let bucket):
                    announced = bucket
                }
            }
        } catch {
            let found = try stored(error)
            return try repair(found, in: tokens, key, by: deadline, decide)
        }
    }

    /// Watches a key; for a user, the records that the session depends on.
    public func watch(
        _ key: RecordKey,
        by deadline: Deadline,
        _ handler: @escaping @Sendable (RecordEvent) -> Void
    ) throws(RecordStoreError) -> any RecordWatch {
        guard let tokens = tokens(behind: key) else { return try base.watch(key, by: deadline, handler) }
        var watches: [any RecordWatch] = []
        for part in tokens.layouts {
            watches.append(try base.watch(part.records.indexKey, by: deadline, handler))
        }
        return alarms.watch(key, watches, handler)
    }

    /// The kind of the underlying store.
    public var kind: RecordStoreKind { base.kind }

    /// Returns the status of the underlying store.
    public func status(by deadline: Deadline) throws(RecordStoreError) -> RecordStoreStatus {
        try base.status(by: deadline)
    }

    /// Returns whether the underlying store is durable when it acknowledges a write.
    public func isDurableOnAcknowledge(by deadline: Deadline) throws(RecordStoreError) -> Bool {
        try base.isDurableOnAcknowledge(by: deadline)
    }

    /// Returns the daemon of the underlying store.
    public func daemon(by deadline: Deadline) throws(RecordStoreError) -> String? {
        try base.daemon(by: deadline)
    }

    /// Acquires a lock of the underlying store.
    public func acquire(
        _ name: String,
        for key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> any RecordLock {
        try base.acquire(name, for: key, by: deadline)
    }

    /// Unlocks the underlying store.
    public func unlock(by deadline: Deadline) throws(RecordStoreError) { try base.unlock(by: deadline) }

    /// Creates the collection in the underlying store.
    public func createCollection(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        try base.createCollection(for: tokens(behind: key)?.records.indexKey ?? key, by: deadline)
    }

    /// Forgets the location of a record in the underlying store; for a user, of the record that the session depends on.
    public func forgetLocation(of key: RecordKey) {
        base.forgetLocation(of: tokens(behind: key)?.records.indexKey ?? key)
    }

    /// Repairs duplicates in the underlying store; for a user, of the record that the session depends on.
    public func repairDuplicates(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) {
        try base.repairDuplicates(of: tokens(behind: key)?.records.indexKey ?? key, by: deadline)
    }

    private enum Outcome {
        case unchanged(UserView)
        case loggedOut(PassSession?)
        case signedIn(UserView, AuthenticationToken, leaving: [String])
        /// The index must list the bucket before the token can be stored.
        case unannounced(String)
    }

    /// Shows the current session and applies the decision about it, while holding the lock of the index.
    private func change(
        _ tokens: PassTokenStore,
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(PassStoreError) -> Outcome {
        try tokens.records.updateIndex(by: deadline) { index throws(PassStoreError) in
            let session = try tokens.session(of: requestor, inSlot: index, by: deadline)
            let view = try view(of: session, under: key)
            switch decide(view.stored) {
            case .keep:
                return .unchanged(view)
            case .delete, .removeDamaged:
                index.logOut()
                if let own = tokens.perRequestorStore { try own.records.updateIndex(by: deadline) { $0.logOut() } }
                alarms.set(nil, of: key)
                return .loggedOut(session)
            case .write(let payload), .replaceDamaged(let payload):
                let token = try UserView.token(in: payload)
                if token == session?.token {
                    signOuts.noteStored(token, in: tokens)
                    return .unchanged(view)
                }
                if let own = tokens.ownFile(for: token, requestor) {
                    let session = try own.signIn(token, for: requestor, by: deadline)
                    return .signedIn(try self.view(of: session, under: key), token, leaving: [])
                }
                try tokens.check(token, for: requestor)
                let bucket = tokens.bucket(of: token)
                guard index.buckets.contains(bucket) else { return .unannounced(bucket) }
                let entered = try tokens.enter(token, for: requestor, in: &index, by: deadline)
                let left = StoreIndex.places(of: bucket).filter { $0 != entered.place }
                return .signedIn(try self.view(of: entered, under: key), token, leaving: left)
            }
        }
    }

    /// Shows a damaged record, and applies the decision about it.
    private func repair(
        _ found: StoredRecord,
        in tokens: PassTokenStore,
        _ key: RecordKey,
        by deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        let change = decide(found)
        do throws(PassStoreError) {
            switch (change, found) {
            case (.keep, _):
                return found
            case (.removeDamaged, .damaged):
                try tokens.logOut(for: requestor, by: deadline)
                return .none
            case (.replaceDamaged(let payload), .damaged):
                let session = try tokens.signIn(try UserView.token(in: payload), for: requestor, by: deadline)
                return try view(of: session, under: key).stored
            case (_, .newer(let reason)):
                throw PassStoreError(RecordStoreError(.newerVersion, reason))
            case (_, .damaged(let reason)):
                throw PassStoreError(RecordStoreError(.damaged, reason))
            default:
                return found
            }
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// Returns a session as a user, and sets the alarm for the expiry of its token.
    private func view(of session: PassSession?, under key: RecordKey) throws(PassStoreError) -> UserView {
        alarms.set(session?.token.expires, of: key)
        return try UserView(of: session, under: key)
    }

    /// Returns the tokens that a user record is a view of; nil for any other record.
    private func tokens(behind key: RecordKey) -> PassTokenStore? {
        guard key.kind == "user" else { return nil }
        return switch key.scope {
        case .app(let appID):
            PassTokenStore(appID: appID, group: nil, in: base, device: device, options: options)
        case .group(let name):
            (try? AccessGroup(name)).map { tokens(in: $0) }
        case .project: nil
        }
    }

    /// Returns the stored record for one that cannot be decoded; throws any other failure.
    private func stored(_ error: PassStoreError) throws(RecordStoreError) -> StoredRecord {
        switch error.code {
        case .damaged: .damaged(error.message)
        case .newerSchema: .newer(error.message)
        default: throw RecordStoreError(error)
        }
    }
}
