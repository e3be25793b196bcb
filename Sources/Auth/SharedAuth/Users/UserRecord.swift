package import FoundationEssentials
internal import Synchronization

/// The content of a slot's record: the accounts signed in there, and which of them is current.
package struct UserRecord: Sendable, Hashable {
    /// The newest format version that is read. A record with a higher version is left unchanged.
    static let newestVersion = 3

    private(set) var current: AccountID?
    package private(set) var accounts: [Account] = []
    /// The originals of signed-out users that could not be deleted. No user may be signed in from these records.
    private(set) var signedOut: [SignedOut] = []
    /// The mark of a view of a fleet's record; nil for a record that this device alone keeps.
    package private(set) var fleet: FleetMark?
    /// The place where the record was written last.
    package private(set) var origin = Origin()
    private var unknown = UnknownMembers()

    /// The place where a record was written last. Neither part says anything about the user.
    package struct Origin: Sendable, Hashable {
        /// The machine; nil if it has no id, and in records of versions that did not note it.
        package var machine: MachineName?
        /// The collection that holds the record; nil in a store without collections, and in records of versions that did
        /// not note it.
        package var collection: CollectionMark?

        package init(machine: MachineName? = nil, collection: CollectionMark? = nil) {
            (self.machine, self.collection) = (machine, collection)
        }
    }

    /// The mark of a view: a record, without tokens, that shows who is signed in on a fleet. Only the fleet changes it.
    package struct FleetMark: Sendable, Hashable, Codable {
        /// The time at which the fleet's server confirmed the record, if it has been away since; nil otherwise.
        package let asOf: Date?
    }

    /// A signed-out user, and the record that the user was copied from.
    struct SignedOut: Sendable, Hashable, Codable {
        let uid: String
        /// Nil in records of versions that did not store it.
        let issuer: String?
        let original: CopiedFrom

        init(_ id: AccountID, _ original: CopiedFrom) {
            (uid, issuer, self.original) = (id.uid, id.issuer, original)
        }

        var id: AccountID { AccountID(uid: uid, issuer: issuer) }
    }

    package init() {}

    /// The format version to write: 3 for a view of a fleet's record, 2 if an account has tokens that version 1 cannot
    /// represent. Earlier versions of the library then leave the record unchanged, and do not report it as damaged.
    var formatVersion: Int { fleet != nil ? 3 : accounts.allSatisfy(\.tokens.fitFormatVersion1) ? 1 : 2 }

    /// Indicates whether the record has nothing to store.
    package var isEmpty: Bool { accounts.isEmpty && signedOut.isEmpty }

    /// The current account.
    package var currentAccount: Account? {
        current.flatMap(account)
    }

    func account(_ id: AccountID) -> Account? {
        accounts.first { $0.id == id }
    }

    /// Makes `account` current. Unless `keepingOthers` is true, replaces the account that was current, and the one that
    /// an app shows instead. All others stay.
    ///
    /// The originals of a replaced account are kept in the new account if that is the same user's. Else those that apps
    /// have left are kept in `signedOut`; the others go on without the copy.
    package func signingIn(
        _ account: Account,
        keepingOthers: Bool = false,
        replacing shown: AccountID? = nil
    ) -> UserRecord {
        var record = self
        var account = account
        let replaced = keepingOthers ? [] : [current, shown]
        for former in accounts where former.id == account.id || replaced.contains(former.id) {
            if former.id == account.id {
                let names = account.remainingOriginals
                account.remainingOriginals = former.remainingOriginals
                account.name(names)
                record = record.removing(former.id)
            } else {
                record = record.removing(former.id, leaving: former.leftOriginals)
            }
        }
        record.accounts.append(account)
        record.current = account.id
        return record
    }

    /// Removes an account. If it was current, no account is current afterwards. Adds `originals`, those that still
    /// exist, to `signedOut`.
    package func removing(_ id: AccountID, leaving originals: [CopiedFrom] = []) -> UserRecord {
        var record = self
        record.accounts.removeAll { $0.id == id }
        if current == id { record.current = nil }
        record.signedOut += originals.map { SignedOut(id, $0) }
        return record
    }

    /// Returns whether the record has a copy of an account, perhaps with other tokens of its session. If the session is not
    /// known, the current account of the same user is taken for a copy.
    func hasCopy(of original: Account) -> Bool {
        guard let copy = account(original.id) else { return false }
        if let session = original.tokens.signIn, let other = copy.tokens.signIn { return session == other }
        return current == original.id || copy.tokens.isRest(of: original.tokens)
    }

    /// Returns those of some users who have come here from a scope that all apps were to leave, and have left.
    func arrived(_ users: [AccountID], from scope: String) -> [AccountID] {
        accounts.filter { account in
            users.contains { $0.mayMean(account.id) } && account.leftOriginals.contains { $0.scope == scope }
        }.map(\.id)
    }

    /// Returns the record without the names of deleted originals in a scope.
    func droppingNames(of accounts: [AccountID], in scope: String) -> UserRecord {
        mapAccounts { account in
            var account = account
            if accounts.contains(account.id) { account.remainingOriginals.removeAll { $0.scope == scope } }
            return account
        }
    }

    /// Returns the record of a copy's slot after all apps have left the copied accounts' originals in a scope.
    ///
    /// - Parameters:
    ///   - copy: the accounts as they were written.
    ///   - isLost: returns whether the record may have lost the copy. If not, a missing account was signed out or replaced.
    func leavingOriginals(of copy: [Account], in scope: String, unless isLost: () -> Bool) -> UserRecord {
        var record = mapAccounts { account in
            var account = account
            if copy.contains(where: { $0.id == account.id }) { account.noteLeft(scope) }
            return account
        }
        for account in copy where self.account(account.id) == nil && !isLost() {
            var account = account
            account.noteLeft(scope)
            record = record.removing(account.id, leaving: account.leftOriginals.filter { $0.scope == scope })
        }
        return record
    }

    /// Returns the view of the record for apps that do not use the fleet.
    ///
    /// - Parameter date: The time at which the server confirmed the record, if it has been away since.
    package func viewed(asOf date: Date?) -> UserRecord {
        var record = mapAccounts(\.withoutTokens)
        record.signedOut = []
        record.fleet = FleetMark(asOf: date)
        return record
    }

    /// Returns the record as one that is written there.
    func written(at origin: Origin) -> UserRecord {
        var record = self
        record.origin = origin
        return record
    }

    /// Removes an original that no longer exists.
    func forgetting(_ original: SignedOut) -> UserRecord {
        var record = self
        record.signedOut.removeAll { $0 == original }
        return record
    }

    /// Replaces references to originals with later ones, after other users were deleted from these records.
    func following(_ later: [CopiedFrom: CopiedFrom]) -> UserRecord {
        if later.isEmpty { return self }
        var record = mapAccounts { account in
            var account = account
            account.remainingOriginals = account.remainingOriginals.map { $0.following(later) }
            return account
        }
        record.signedOut = signedOut.map { SignedOut($0.id, $0.original.following(later)) }
        return record
    }

    /// Returns the record with each account changed. The change must keep the account's identity.
    package func mapAccounts(_ change: (Account) -> Account) -> UserRecord {
        var record = self
        record.accounts = accounts.map(change)
        return record
    }

    /// Replaces a stored account with a newer version of it, without making it current.
    func replacing(_ account: Account) -> UserRecord {
        var record = self
        if let place = record.accounts.firstIndex(where: { $0.id == account.id }) { record.accounts[place] = account }
        return record
    }

    /// Makes one of the accounts current, or with nil none.
    func selecting(_ id: AccountID?) -> UserRecord {
        var record = self
        record.current = id
        return record
    }

    /// Returns the record as an app of this issuer reads it: accounts without a known issuer get the app's, unless the
    /// record also has that account.
    func read(by issuer: () -> String?) -> UserRecord {
        guard accounts.contains(where: { $0.knownIssuer == nil }), let issuer = issuer() else { return self }
        var record = self
        record.accounts = accounts.map { account in
            let named = account.named(by: issuer)
            return self.account(named.id) == nil ? named : account
        }
        if let place = accounts.firstIndex(where: { $0.id == current }) { record.current = record.accounts[place].id }
        return record
    }
}

extension UserRecord: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case version, current, currentIssuer, accounts, signedOut, fleet, origin
    }

    /// Decodes a record. Checks the version first, and rejects a record of a newer version.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let version = try fields.decode(Int.self, forKey: .version)
        guard version >= 1 else { throw RecordFlaw.damaged("it has no valid format version") }
        guard version <= Self.newestVersion else { throw RecordFlaw.newer("its format version is \(version)") }
        accounts = try fields.decode([Account].self, forKey: .accounts)
        if let uid = try fields.decodeIfPresent(String.self, forKey: .current) {
            // An earlier version, which ignores the issuer, may have made another account current.
            let issuer = try fields.decodeIfPresent(String.self, forKey: .currentIssuer)
            let named = accounts.filter { $0.uid == uid }
            let account = named.first { $0.knownIssuer == issuer } ?? named.first
            guard let account else { throw RecordFlaw.damaged("its current account is missing") }
            current = account.id
        }
        guard version > 1 || accounts.allSatisfy({ $0.tokens.idToken != nil && $0.tokens.refreshToken != nil }) else {
            throw RecordFlaw.damaged("an account has no ID token or no refresh token")
        }
        if version > 2 {
            fleet = try fields.decode(FleetMark.self, forKey: .fleet)
            accounts = accounts.map(\.withoutTokens)
        }
        signedOut = try fields.decodeIfPresent([SignedOut].self, forKey: .signedOut) ?? []
        origin = (try? fields.decodeIfPresent(Origin.self, forKey: .origin)) ?? Origin()
        unknown = try UnknownMembers(from: decoder, besides: CodingKeys.self)
    }

    /// Encodes the record, with the members that a newer version added.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(formatVersion, forKey: .version)
        try fields.encodeIfPresent(current?.uid, forKey: .current)
        if accounts.count(where: { $0.uid == current?.uid }) > 1 {
            try fields.encodeIfPresent(current?.issuer, forKey: .currentIssuer)
        }
        try fields.encode(accounts, forKey: .accounts)
        if !signedOut.isEmpty { try fields.encode(signedOut, forKey: .signedOut) }
        try fields.encodeIfPresent(fleet, forKey: .fleet)
        if origin != Origin() { try fields.encode(origin, forKey: .origin) }
        try unknown.encode(to: encoder)
    }

    /// Decodes a record from its payload.
    package init(decoding payload: [UInt8]) throws(RecordFlaw) {
        do {
            self = try UntrustedJSON.decode(UserRecord.self, from: payload)
        } catch let flaw as RecordFlaw {
            throw flaw
        } catch let error as DecodingError {
            throw .damaged(Self.place(of: error))
        } catch {
            throw .damaged("it is not JSON")
        }
        guard Set(accounts.map(\.id)).count == accounts.count, !accounts.contains(where: \.uid.isEmpty) else {
            throw .damaged("an account is stored twice or has no uid")
        }
    }

    /// Returns the record's payload. Equal records have equal payloads.
    package func encoded() throws(AuthError) -> [UInt8] {
        do {
            return try StableJSON.encode(self, escapingSlashes: true)
        } catch {
            throw AuthError(.internalError, "A user record cannot be encoded.", underlying: error)
        }
    }

    /// Describes a decoding error. Names only the field, because values are secret.
    private static func place(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "the field \(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "the field \(context.codingPath.map(\.stringValue).joined(separator: ".")) has the wrong type"
        default: "it is not JSON, or is nested too deeply"
        }
    }
}

extension UserRecord.Origin: Codable {
    private enum CodingKeys: String, CodingKey {
        case machine, collection
    }

    /// Decodes an origin. A member that is no name counts as missing.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let machine = try? fields.decodeIfPresent(String.self, forKey: .machine)
        let collection = try? fields.decodeIfPresent(String.self, forKey: .collection)
        self.init(
            machine: machine.flatMap { MachineName(reading: Array($0.utf8)) },
            collection: collection.flatMap(CollectionMark.init)
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(machine?.text, forKey: .machine)
        try fields.encodeIfPresent(collection?.text, forKey: .collection)
    }
}

/// A cache of the last user record of each slot, so that an unchanged record is not parsed again. Parsing takes longer
/// than all the rest of a process's work for a read.
final class ParsedRecords: Sendable {
    private struct Entry {
        let payload: [UInt8]
        let record: UserRecord
    }

    private let entries = Mutex<[RecordKey: Entry]>([:])
    private let ownIssuer: @Sendable () -> String?

    /// Creates an empty cache.
    ///
    /// - Parameter ownIssuer: Returns the reader's issuer, or nil if it has none; called only if an account has no
    ///   known issuer.
    init(ownIssuer: @escaping @Sendable () -> String? = { nil }) {
        self.ownIssuer = ownIssuer
    }

    /// Returns the record of a payload that was read from a slot.
    func record(of payload: [UInt8], in key: RecordKey) throws(RecordFlaw) -> UserRecord {
        let known = entries.withLock { $0[key].flatMap { $0.payload == payload ? $0.record : nil } }
        if let known { return known }
        let record = try UserRecord(decoding: payload).read(by: ownIssuer)
        remember(record, as: payload, in: key)
        return record
    }

    /// Stores the record of a payload in the cache.
    func remember(_ record: UserRecord, as payload: [UInt8], in key: RecordKey) {
        entries.withLock { $0[key] = Entry(payload: payload, record: record) }
    }

    /// Removes the record of an empty slot from the cache.
    func forget(_ key: RecordKey) {
        entries.withLock { $0[key] = nil }
    }
}
