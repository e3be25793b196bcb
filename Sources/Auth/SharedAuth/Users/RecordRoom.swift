/// The room that a write of a user record may take. A record that is longer already may always be made shorter.
enum RecordRoom: Hashable {
    /// 64 KiB, for what an app would like to store: a sign-in, or a profile. The write is refused otherwise.
    case limited
    /// The store's own limit, for users who are stored already: they are moved, or one of them becomes current.
    case full
    /// The store's own limit, for the result of an exchange: the identity provider accepts no former token any more. If
    /// it does not fit, tokens are dropped that can be requested again.
    case exchange(of: AccountID)

    /// The maximum size of the payload in bytes.
    var limit: Int {
        switch self {
        case .limited: 64 * 1024
        case .full, .exchange: Record.largestPayload
        }
    }
}

/// A user record to be stored.
struct RecordDraft {
    let record: UserRecord
    let room: RecordRoom

    /// Returns the record and its payload, without tokens that have no room after an exchange.
    func fitted() throws(AuthError) -> (UserRecord, payload: [UInt8]) {
        let payload = try record.encoded()
        guard case .exchange(let id) = room, payload.count > room.limit else { return (record, payload) }
        let record = record.relieved(of: payload.count - room.limit, first: id)
        return (record, try record.encoded())
    }
}

extension UserRecord {
    /// Returns the record without as many tokens as take `excess` bytes, or without all that can be dropped.
    ///
    /// Only tokens are dropped that a refresh token replaces: first the access tokens for other scopes than those of
    /// the sign-in, oldest first; then the ID tokens; then the other access tokens. Of each kind, those of one account
    /// go first.
    func relieved(of excess: Int, first id: AccountID) -> UserRecord {
        var record = self
        var excess = excess
        let ids = [id] + accounts.map(\.id).filter { $0 != id }
        for kind in DroppedToken.allCases {
            for id in ids {
                while excess > 0, let account = record.account(id), let (rest, size) = account.tokens.without(kind) {
                    var lighter = account
                    lighter.tokens = rest
                    record = record.replacing(lighter)
                    excess -= size
                }
            }
        }
        return record
    }
}

/// The kinds of tokens that a full record does without, in this order.
private enum DroppedToken: CaseIterable {
    case extraAccessToken, idToken, firstAccessToken
}

extension UserTokens {
    /// The most bytes that a note of a dropped token takes.
    private static let noteSize = 24

    /// Returns the tokens without the oldest one of a kind, and the number of bytes that its payload is shorter by at
    /// least; nil if there is none, or no refresh token to replace it.
    fileprivate func without(_ kind: DroppedToken) -> (rest: UserTokens, size: Int)? {
        guard refreshToken != nil else { return nil }
        switch kind {
        case .extraAccessToken:
            guard accessTokens.count > 1, let last = accessTokens.last else { return nil }
            return (keeping(accessTokens: accessTokens.dropLast(), idToken: true), last.token.utf8.count)
        case .idToken:
            guard let idToken else { return nil }
            return (keeping(accessTokens: accessTokens, idToken: false), idToken.utf8.count - Self.noteSize)
        case .firstAccessToken:
            guard let first = accessTokens.first else { return nil }
            return (keeping(accessTokens: [], idToken: true), first.token.utf8.count - Self.noteSize)
        }
    }
}
