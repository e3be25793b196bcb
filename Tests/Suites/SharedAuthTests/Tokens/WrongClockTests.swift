import FoundationEssentials
import SecretService
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuth

/// Tokens that came when the clock was ahead, and that are used after it was set right.
struct WrongClockTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let hour: TimeInterval = 3600
    private let rules = TokenRules { Self.now }

    /// Returns a JSON Web Token that expires so many seconds from now.
    private static func token(expiringIn seconds: TimeInterval, at now: Date = now) -> String {
        let claims = "{\"iat\":1,\"exp\":\(Int(now.timeIntervalSince1970 + seconds))}"
        return "e30.\(Base64URL.encode(Array(claims.utf8))).AA"
    }

    /// Returns tokens that were issued and expire so many seconds from now, by the clock that was used then.
    private func tokens(
        issued: TimeInterval?,
        expiring: TimeInterval,
        own: TimeInterval? = nil,
        canRefresh: Bool = true,
        access: AccessToken? = nil
    ) -> UserTokens {
        UserTokens(
            idToken: own.map { Self.token(expiringIn: $0) } ?? "opaque",
            refreshToken: canRefresh ? "r" : nil,
            expirationDate: Self.now + expiring,
            accessTokens: access.map { [$0] } ?? [],
            issueDate: issued.map { Self.now + $0 }
        )
    }

    @Test("Tokens from the future are refreshed before use, unless clocks differ by little")
    func future() {
        for (issued, isValid) in [(0.0, true), (59, true), (61, false), (3 * Self.hour, false)] {
            let tokens = tokens(issued: issued, expiring: issued + Self.hour)
            #expect(rules.isValid(tokens) == isValid, "\(issued)")
            #expect(rules.isValid(tokens, atLeast: 0) == isValid, "\(issued)")
            #expect(tokens.isFromFuture(at: Self.now) == !isValid)
        }
    }

    @Test("A token whose own date has passed is not valid, however late its stored date is")
    func ownDate() {
        // Two hours after a refresh by a clock that was three hours ahead.
        let late = tokens(issued: -120, expiring: Self.hour - 120, own: -Self.hour)
        #expect(!rules.isValid(late) && !rules.isValid(late, atLeast: 0))
        #expect(rules.isValid(tokens(issued: -120, expiring: Self.hour - 120, own: Self.hour - 120)))
        #expect(!rules.isValid(tokens(issued: nil, expiring: Self.hour, own: -1)))
        // Just after a refresh, the present clock is ahead of the issuer's.
        #expect(rules.isValid(tokens(issued: -30, expiring: Self.hour - 30, own: -Self.hour)))
    }

    @Test("Tokens that cannot be refreshed are used as long as their own date allows")
    func notRefreshable() {
        #expect(rules.isValid(tokens(issued: 7200, expiring: 7200 + Self.hour, own: 60, canRefresh: false)))
        #expect(!rules.isValid(tokens(issued: 7200, expiring: 7200 + Self.hour, own: -60, canRefresh: false)))
    }

    @Test("An access token obeys the same rules")
    func accessToken() {
        for (issued, own, isValid) in [(-120.0, Self.hour, true), (7200, Self.hour, false), (-120, -Self.hour, false)] {
            let access = AccessToken(token: Self.token(expiringIn: own), expirationDate: Self.now + Self.hour)
            let tokens = tokens(issued: issued, expiring: Self.hour, access: access)
            #expect(rules.isValid(tokens, for: []) == isValid, "\(issued) \(own)")
        }
    }

    @Test("A token that never expires does so by no clock")
    func eternal() {
        let access = AccessToken(token: "a", scopes: ["a"], expirationDate: .distantFuture)
        let other = AccessToken(token: "b", scopes: ["b"], expirationDate: .distantFuture)
        let tokens = UserTokens(
            refreshToken: "r",
            accessTokens: [access, other],
            issueDate: Self.now + 3 * Self.hour
        )
        #expect(rules.isValid(tokens, for: ["a"]) && rules.isValid(tokens, for: []) && !rules.haveExpired(tokens))
        let new = AccessToken(token: "new", scopes: ["a"], expirationDate: Self.now + Self.hour)
        let answer = UserTokens(refreshToken: "s", accessTokens: [new])
        let refreshed = tokens.refreshed(by: answer, for: ["a"], at: Self.now)
        #expect(refreshed.accessTokens.map(\.token) == ["new", "b"])
    }

    @Test("A refresh keeps no access token of a clock that was ahead")
    func otherAccessTokens() {
        let scopes: [Set<String>] = [["a"], ["b"], ["c"]]
        let old = scopes.map { AccessToken(token: "old", scopes: $0, expirationDate: Self.now + 4 * Self.hour) }
        let new = AccessToken(token: "new", scopes: ["b"], expirationDate: Self.now + Self.hour)
        for (issued, isKept) in [(-60.0, true), (3 * Self.hour, false)] {
            let former = UserTokens(refreshToken: "r", accessTokens: old, issueDate: Self.now + issued)
            let answer = UserTokens(refreshToken: "s", accessTokens: [new])
            let tokens = former.refreshed(by: answer, for: ["b"], at: Self.now)
            #expect(rules.isValid(tokens, for: ["b"]))
            #expect(rules.isValid(tokens, for: ["a"]) == isKept)
            #expect(rules.isValid(tokens, for: ["c"]) == isKept)
        }
    }

    @Test(
        "After the clock was set right, each process gets a token whose own date is later",
        arguments: [10, 70, 120, 170]
    )
    func setRight(minutes: Int) async throws {
        let clock = TestClock(Self.now)
        let app = MemoryApp()
        let start = { try app.start { $0.now = { clock.now } } }
        app.identity.tellTime { clock.now }
        clock.advance(by: 3 * Self.hour)
        let first = try start()
        app.identity.expect(.scripted("x", from: clock.now))
        try await first.signIn(withEmail: "a@example.com", password: "password")
        let ahead = try #require(first.currentUser?.snapshot.tokens)
        clock.advance(by: -3 * Self.hour + 60 * Double(minutes))
        for auth in [first, try start()] {
            let token = try await auth.currentUser?.getIDToken()
            #expect(token != nil && token != ahead.idToken)
        }
        #expect(app.identity.refreshes == 1)
        let stored = try #require(try app.record(in: .own).currentAccount?.tokens)
        #expect(stored.expirationDate > clock.now && !stored.isFromFuture(at: clock.now))
    }
}
