internal import FoundationEssentials

/// What a slot's record holds: the accounts signed in there, and which of them is current.
package struct UserRecord: Sendable, Hashable, Codable {
    /// The only format so far. A record with a higher number is left alone.
    static let formatVersion = 1

    private var version = Self.formatVersion
    private(set) var current: String?
    package private(set) var accounts: [Account] = []

    package init() {}

    /// The account that is signed in.
    package var currentAccount: Account? {
        current.flatMap(account)
    }

    func account(_ uid: String) -> Account? {
        accounts.first { $0.uid == uid }
    }

    /// Makes `account` current, in place of the present one, or beside it when `keepingOthers`.
    package func signingIn(_ account: Account, keepingOthers: Bool = false) -> UserRecord {
        var record = self
        record.accounts.removeAll { $0.uid == account.uid || (!keepingOthers && $0.uid == current) }
        record.accounts.append(account)
        record.current = account.uid
        return record
    }

    /// Removes an account; if it was current, nobody is afterwards.
    func removing(_ uid: String) -> UserRecord {
        var record = self
        record.accounts.removeAll { $0.uid == uid }
        if current == uid { record.current = nil }
        return record
    }

    /// Replaces what is known of an account, without making it current.
    func replacing(_ account: Account) -> UserRecord {
        var record = self
        if let place = record.accounts.firstIndex(where: { $0.uid == account.uid }) { record.accounts[place] = account }
        return record
    }

    /// Makes one of the accounts current, or none.
    func selecting(_ uid: String?) -> UserRecord {
        var record = self
        record.current = uid
        return record
    }
}

extension UserRecord {
    /// Why bytes are no user record.
    package enum Flaw: Error {
        case damaged(String)
        case newer(Int)
    }

    /// Looks at the version before anything else: what a newer one holds is nobody's business here.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        version = try fields.decode(Int.self, forKey: .version)
        guard version == Self.formatVersion else {
            throw version > Self.formatVersion ? Flaw.newer(version) : Flaw.damaged("it has no valid format version")
        }
        current = try fields.decodeIfPresent(String.self, forKey: .current)
        accounts = try fields.decode([Account].self, forKey: .accounts)
    }

    /// Reads a record of its bytes.
    package init(decoding payload: [UInt8]) throws(Flaw) {
        do {
            self = try JSONDecoder().decode(UserRecord.self, from: Data(payload))
        } catch let flaw as Flaw {
            throw flaw
        } catch let error as DecodingError {
            throw .damaged(Self.place(of: error))
        } catch {
            throw .damaged("it is not JSON")
        }
        guard current == nil || currentAccount != nil else { throw .damaged("its current account is missing") }
        guard Set(accounts.map(\.uid)).count == accounts.count, !accounts.contains(where: \.uid.isEmpty) else {
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
