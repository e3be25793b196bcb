import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth

/// Tests which tokens a record does without that has no room for all.
struct RecordRoomTests {
    private static let size = 1000

    private static func account(_ uid: String, canRefresh: Bool = true) -> Account {
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        func token(_ name: String) -> String { name + String(repeating: "-", count: size - name.utf8.count) }
        return Account(
            profile: UserProfile(uid: uid),
            tokens: UserTokens(
                idToken: token("\(uid) id"),
                refreshToken: canRefresh ? token("\(uid) refresh") : nil,
                expirationDate: date,
                accessTokens: (1...3).map {
                    AccessToken(token: token("\(uid) \($0)"), scopes: ["\($0)"], expirationDate: date)
                }
            ),
            project: "p",
            issuer: "one"
        )
    }

    private let x = account("x")
    private let y = account("y")

    /// Returns the names of the tokens that are left, without the refresh tokens.
    private func left(in record: UserRecord) -> [String] {
        record.accounts.flatMap { account in
            ([account.tokens.idToken] + account.tokens.accessTokens.map(\.token)).compactMap { token in
                token.map { String($0.prefix { $0 != "-" }) }
            }
        }
    }

    @Test("Access tokens that an older version has written are those of the same exchange")
    func olderVersion() {
        let accessTokens = x.tokens.accessTokens.map { token in
            var token = token.issued(at: Date(timeIntervalSince1970: 1_700_000_000))
            token.requestedScopes = ["other"]
            return token
        }
        let whole = x.tokens.keeping(accessTokens: accessTokens, idToken: true)
        #expect(x.tokens != whole && x.tokens.isRest(of: whole) && !x.tokens.isRest(of: y.tokens))
    }

    @Test(
        "Extra access tokens go first, oldest first, then ID tokens, then the rest",
        arguments: [
            (1, ["y id", "y 1", "y 2", "y 3", "x id", "x 1", "x 2"]),
            (1000, ["y id", "y 1", "y 2", "y 3", "x id", "x 1", "x 2"]),
            (1001, ["y id", "y 1", "y 2", "y 3", "x id", "x 1"]),
            (2001, ["y id", "y 1", "y 2", "x id", "x 1"]),
            (4000, ["y id", "y 1", "x id", "x 1"]),
            (4001, ["y id", "y 1", "x 1"]),
            (5000, ["y 1", "x 1"]),
            (6000, ["y 1"]),
            (100_000, []),
        ]
    )
    func order(excess: Int, names: [String]) throws {
        let record = UserRecord().signingIn(y).signingIn(x, keepingOthers: true)
        let relieved = record.relieved(of: excess, first: x.id)
        #expect(left(in: relieved) == names)
        #expect(relieved.accounts.map(\.tokens.refreshToken) == record.accounts.map(\.tokens.refreshToken))
        #expect(relieved.current == x.id)
        if !names.isEmpty { #expect(try relieved.encoded().count <= record.encoded().count - excess) }
        for (account, whole) in zip(relieved.accounts, record.accounts) {
            #expect(account.tokens.isRest(of: whole.tokens))
            let isIncomplete = account.tokens.idToken == nil || account.tokens.accessTokens.isEmpty
            #expect(account.tokens.isIncomplete == isIncomplete)
        }
        #expect(try UserRecord(decoding: relieved.encoded()) == relieved)
    }

    @Test("A session without a refresh token keeps all its tokens")
    func withoutRefreshToken() {
        let record = UserRecord().signingIn(Self.account("x", canRefresh: false))
        #expect(record.relieved(of: 100_000, first: x.id) == record)
    }

    @Test("Only the result of an exchange is fitted")
    func rooms() throws {
        var large = x
        large.profile.displayName = String(repeating: "n", count: RecordRoom.full.limit - 3000)
        let record = UserRecord().signingIn(large)
        for room in [RecordRoom.limited, .full] {
            #expect(try RecordDraft(record: record, room: room).fitted().0 == record)
        }
        let room = RecordRoom.exchange(of: x.id)
        let (fitted, payload) = try RecordDraft(record: record, room: room).fitted()
        #expect(fitted != record && payload.count <= room.limit)
        #expect(try UserRecord(decoding: payload) == fitted)
        let small = UserRecord().signingIn(x)
        #expect(try RecordDraft(record: small, room: room).fitted().0 == small)
    }

    @Test("Tokens whose ID token had no room are refreshed before use, others as usual")
    func validity() throws {
        let rules = TokenRules(now: { Date(timeIntervalSince1970: 1_799_990_000) })
        let rest = try #require(UserRecord().signingIn(x).relieved(of: 2900, first: x.id).account(x.id)?.tokens)
        #expect(rest.idToken == nil && rest.accessTokens.count == 1)
        #expect(!rules.isValid(rest))
        #expect(rules.isValid(rest, for: ["1"]) && rules.isValid(x.tokens))
        // A refresh for other scopes may bring no ID token: the session still has one.
        let other = AccessToken(token: "other", scopes: ["other"], expirationDate: x.tokens.expirationDate)
        let opaque = UserTokens(refreshToken: "r", accessTokens: [other])
        #expect(rest.refreshed(by: opaque, for: ["other"], at: rules.now()).isIncomplete)
        #expect(!rest.refreshed(by: x.tokens, for: [], at: rules.now()).isIncomplete)
        #expect(x.tokens.refreshed(by: opaque, for: ["other"], at: rules.now()).isIncomplete)
        // A session that never had one is whole without it.
        #expect(!opaque.refreshed(by: opaque, for: [], at: rules.now()).isIncomplete)
    }

    @Test("Newer tokens that arrive during a save replace what the record had room for")
    func newerWhileSaving() throws {
        let unsaved = UnsavedTokens()
        let (used, new) = (Self.account("x").tokens.beginningLineage(), Self.account("x").tokens)
        let first = new.succeeding(used)
        unsaved.keep(first, over: used, of: x.id, in: .own)
        let entry = try #require(unsaved.entry(of: x.id, in: .own))
        unsaved.keep(new.succeeding(first), over: used, of: x.id, in: .own)
        var account = x
        account.tokens = first
        let rest = try #require(UserRecord().signingIn(account).relieved(of: 3000, first: x.id).account(x.id))
        unsaved.settle(entry, in: .own, found: rest.tokens)
        var stored = rest
        #expect(unsaved.entry(of: x.id, in: .own)?.write(&stored) == .exchange(of: x.id))
        #expect(stored.tokens.exchanges == 2)
    }
}
