internal import Crypto
internal import DesktopSupport
internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthRecords

/// The content of a user record, with a name for each session in it.
struct UserContent: FleetContent {
    let payload: [UInt8]
    /// The name of each session by its key: the sign-in that its tokens come from.
    private let named: [String: String]

    /// Creates the content of a new payload. A session that `former` has keeps its name there; others get new names.
    init(_ payload: [UInt8], after former: UserContent?) {
        self.payload = payload
        let keys = Self.sessions(of: payload).keys
        named = keys.reduce(into: [:]) { $0[$1] = former?.named[$1] ?? Base64URL.encode(randomBytes(9)) }
    }

    private init(_ payload: [UInt8], _ named: [String: String]) {
        (self.payload, self.named) = (payload, named)
    }

    var sessions: [String: Int] {
        Self.sessions(of: payload).reduce(into: [:]) { sessions, session in
            if let name = named[session.key] { sessions[name] = session.value }
        }
    }

    /// The key of the one session of a payload that is not a user record, such as one of a newer version.
    private static let opaque = "whole"

    /// Returns the number of exchanges of each session of a payload.
    private static func sessions(of payload: [UInt8]) -> [String: Int] {
        guard let record = try? UserRecord(decoding: payload) else { return [opaque: 0] }
        return record.accounts.reduce(into: [:]) { $0[key(of: $1)] = $1.tokens.exchanges }
    }

    private static func key(of account: Account) -> String {
        // Tokens that no version with lineages stored are known by their account.
        account.tokens.signIn ?? "account \(account.uid) \(account.id.issuer ?? "")"
    }

    func removing(_ names: Set<String>) -> UserContent? {
        let keys = Set(named.filter { names.contains($0.value) }.keys)
        if keys.isEmpty { return self }
        let rest = named.filter { !keys.contains($0.key) }
        guard let record = try? UserRecord(decoding: payload) else { return rest.isEmpty ? nil : self }
        let remaining = record.accounts.filter { keys.contains(Self.key(of: $0)) }
            .reduce(record) { $0.removing($1.id, leaving: []) }
        guard !remaining.isEmpty, let payload = try? remaining.encoded() else { return nil }
        return UserContent(payload, rest)
    }

    func takingLaterTokens(of other: UserContent) -> UserContent {
        guard let record = try? UserRecord(decoding: payload), let theirs = try? UserRecord(decoding: other.payload)
        else { return self }
        let later = theirs.accounts.reduce(into: [:]) { $0[Self.key(of: $1)] = $1.tokens }
        let merged = record.mapAccounts { account in
            let key = Self.key(of: account)
            guard let name = named[key], name == other.named[key], let tokens = later[key],
                tokens.exchanges > account.tokens.exchanges
            else { return account }
            var account = account
            account.tokens = tokens
            return account
        }
        guard merged != record, let payload = try? merged.encoded() else { return self }
        return UserContent(payload, named)
    }
}

extension UserContent: Redacted {
    /// The size; never the payload.
    var description: String { "UserContent(\(payload.count) bytes)" }
}
