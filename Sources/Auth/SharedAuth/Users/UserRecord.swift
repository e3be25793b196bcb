internal import FoundationEssentials
internal import Synchronization

/// What a slot's record holds: the accounts signed in there, and which of them is current.
package struct UserRecord: Sendable, Hashable {
    /// The newest format that is read. A record with a higher number is left alone.
    static let newestVersion = 2

    private(set) var current: AccountID?
    package private(set) var accounts: [Account] = []
    /// The originals of users who were signed out while these could not be deleted: no user may be signed in from there.
    private(set) var signedOut: [SignedOut] = []
    private var unknown = UnknownMembers()

    /// A user who was signed out, and where the user was copied from.
    struct SignedOut: Sendable, Hashable, Codable {
        let uid: String
        /// Nil in records of versions that did not note it.
        let issuer: String?
        let original: CopiedFrom

        init(_ id: AccountID, _ original: CopiedFrom) {
            (uid, issuer, self.original) = (id.uid, id.issuer, original)
        }

        var id: AccountID { AccountID(uid: uid, issuer: issuer) }
    }

    package init() {}

    /// The format that the record is written in: 2 where an account has what 1 cannot say, so that earlier versions of the
    /// library leave it alone and do not take it for damaged.
    var formatVersion: Int { accounts.allSatisfy(\.tokens.fitFormatVersion1) ? 1 : 2 }

    /// Whether there is nothing to keep.
    var isEmpty: Bool { accounts.isEmpty && signedOut.isEmpty }

    /// The account that is signed in.
    package var currentAccount: Account? {
        current.flatMap(account)
    }

    func account(_ id: AccountID) -> Account? {
        accounts.first { $0.id == id }
    }

    /// Makes `account` current, in place of the present one, or in addition to it when `keepingOthers`.
    ///
    /// Originals of an account that is replaced are still named: by the new account of the same user, else as signed out.
    package func signingIn(_ account: Account, keepingOthers: Bool = false) -> UserRecord {
        var record = self
        var account = account
        for former in accounts where former.id == account.id || (!keepingOthers && former.id == current) {
            if former.id == account.id {
                account.remainingOriginals += former.remainingOriginals.filter {
                    !account.remainingOriginals.contains($0)
                }
                record = record.removing(former.id)
            } else {
                record = record.removing(former.id, leaving: former.remainingOriginals)
            }
        }
        record.accounts.append(account)
        record.current = account.id
        return record
    }

    /// Removes an account; if it was current, nobody is afterwards. The record goes on naming the originals that are still there.
    func removing(_ id: AccountID, leaving originals: [CopiedFrom] = []) -> UserRecord {
        var record = self
        record.accounts.removeAll { $0.id == id }
        if current == id { record.current = nil }
        record.signedOut += originals.map { SignedOut(id, $0) }
        return record
    }

    /// Forgets an original that is gone.
    func forgetting(_ original: SignedOut) -> UserRecord {
        var record = self
        record.signedOut.removeAll { $0 == original }
        return record
    }

    /// Goes on naming an original by what it holds now, after others who were copied from it were deleted there.
    func following(_ later: [CopiedFrom: CopiedFrom]) -> UserRecord {
        if later.isEmpty { return self }
        var record = mapAccounts { account in
            var account = account
            account.remainingOriginals = account.remainingOriginals.map { later[$0] ?? $0 }
            return account
        }
        record.signedOut = signedOut.map { SignedOut($0.id, later[$0.original] ?? $0.original) }
        return record
    }

    /// The same with each account changed; it stays the same account.
    func mapAccounts(_ change: (Account) -> Account) -> UserRecord {
        var record = self
        record.accounts = accounts.map(change)
        return record
    }

    /// Replaces what is known of an account, without making it current.
    func replacing(_ account: Account) -> UserRecord {
        var record = self
        if let place = record.accounts.firstIndex(where: { $0.id == account.id }) { record.accounts[place] = account }
        return record
    }

    /// Makes one of the accounts current, or none.
    func selecting(_ id: AccountID?) -> UserRecord {
        var record = self
        record.current = id
        return record
    }

    /// The same, read by an app of this issuer: accounts without a known issuer are its own, unless that account is there, too.
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
        case version, current, currentIssuer, accounts, signedOut
    }

    /// Checks the version first: a record of a newer version is not read.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let version = try fields.decode(Int.self, forKey: .version)
        guard version >= 1 else { throw RecordFlaw.damaged("it has no valid format version") }
        guard version <= Self.newestVersion else { throw RecordFlaw.newer("its format version is \(version)") }
        accounts = try fields.decode([Account].self, forKey: .accounts)
        if let uid = try fields.decodeIfPresent(String.self, forKey: .current) {
            // A version that does not know the issuer may have made another account current.
            let issuer = try fields.decodeIfPresent(String.self, forKey: .currentIssuer)
            let named = accounts.filter { $0.uid == uid }
            let account = named.first { $0.knownIssuer == issuer } ?? named.first
            guard let account else { throw RecordFlaw.damaged("its current account is missing") }
            current = account.id
        }
        guard version > 1 || accounts.allSatisfy({ $0.tokens.idToken != nil && $0.tokens.refreshToken != nil }) else {
            throw RecordFlaw.damaged("an account has no ID token or no refresh token")
        }
        signedOut = try fields.decodeIfPresent([SignedOut].self, forKey: .signedOut) ?? []
        unknown = try UnknownMembers(from: decoder, besides: CodingKeys.self)
    }

    /// Writes what is known, and what a newer version has added.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(formatVersion, forKey: .version)
        try fields.encodeIfPresent(current?.uid, forKey: .current)
        if accounts.count(where: { $0.uid == current?.uid }) > 1 {
            try fields.encodeIfPresent(current?.issuer, forKey: .currentIssuer)
        }
        try fields.encode(accounts, forKey: .accounts)
        if !signedOut.isEmpty { try fields.encode(signedOut, forKey: .signedOut) }
        try unknown.encode(to: encoder)
    }

    /// Reads a record of its bytes.
    package init(decoding payload: [UInt8]) throws(RecordFlaw) {
        do {
            self = try JSONDecoder().decode(UserRecord.self, from: Data(payload))
        } catch let flaw as RecordFlaw {
            throw flaw
        } catch let error as DecodingError {
            throw .damaged(Self.place(of: error))
        } catch {
            throw .damaged("it is not JSON")
        }
        guard Set(accounts.map(\.id)).count == accounts.count, !accounts.contains(where: \.uid.isEmpty) else {
            throw .damaged("an account is there twice or has no uid")
        }
    }

    /// The record's bytes, the same for equal records.
    package func encoded() throws(AuthError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return Array(try encoder.encode(self))
        } catch {
            throw AuthError(.internalError, "A user record cannot be encoded.", underlying: error)
        }
    }

    /// Where decoding failed; the field's name only, as values are secret.
    private static func place(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "the field \(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "the field \(context.codingPath.map(\.stringValue).joined(separator: ".")) has the wrong type"
        default: "it is not JSON"
        }
    }
}

/// The user records that were read last, so that a slot that has not changed need not be parsed again: parsing takes
/// longer than all else that a process does for a read.
final class ParsedRecords: Sendable {
    private struct Entry {
        let payload: [UInt8]
        let record: UserRecord
    }

    private let entries = Mutex<[RecordKey: Entry]>([:])
    private let ownIssuer: @Sendable () -> String?

    /// Remembers nothing yet.
    ///
    /// - Parameter ownIssuer: the reader's own issuer, which is asked for only where an account has none; nil: it has none.
    init(ownIssuer: @escaping @Sendable () -> String? = { nil }) {
        self.ownIssuer = ownIssuer
    }

    /// The record that a payload found in this slot is.
    func record(of payload: [UInt8], in key: RecordKey) throws(RecordFlaw) -> UserRecord {
        let known = entries.withLock { $0[key].flatMap { $0.payload == payload ? $0.record : nil } }
        if let known { return known }
        let record = try UserRecord(decoding: payload).read(by: ownIssuer)
        remember(record, as: payload, in: key)
        return record
    }

    /// Remembers what a payload for this slot was made of.
    func remember(_ record: UserRecord, as payload: [UInt8], in key: RecordKey) {
        entries.withLock { $0[key] = Entry(payload: payload, record: record) }
    }

    /// Keeps nothing of a slot: it is empty.
    func forget(_ key: RecordKey) {
        entries.withLock { $0[key] = nil }
    }
}
