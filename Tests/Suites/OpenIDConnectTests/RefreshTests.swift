import Foundation
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect
@testable import SharedAuth

struct RefreshTests {
    let world = IssuerFixture()

    private func signedIn() async throws -> (Auth, User) {
        let openID = world.openID()
        let auth = try world.app(openID)
        return (auth, try await auth.signIn(by: world.browser(openID)))
    }

    @Test("A refresh rotates the refresh token, and another process uses the new one")
    func rotation() async throws {
        let (auth, user) = try await signedIn()
        let first = user.refreshToken
        let idToken = try await user.getIDToken()
        world.issuer.advance(by: 10)
        #expect(try await user.getIDToken(forcingRefresh: true) != idToken)
        #expect(user.refreshToken != first)
        let other = try world.app(world.openID())
        _ = try await other.currentUser?.getIDToken(forcingRefresh: true)
        #expect(other.currentUser?.uid == "ada" && auth.currentUser?.uid == "ada")
        #expect(world.issuer.script.withLock { $0.refreshTokens.count } == 1)
    }

    @Test("Tokens of five minutes are refreshed at half their life, not at every use")
    func shortLife() async throws {
        world.issuer.change { $0.changeClaims = { $0["exp"] = .number(($0["iat"]?.number ?? 0) + 300) } }
        let (auth, user) = try await signedIn()
        world.issuer.advance(by: 149)
        _ = try await user.getIDToken()
        #expect(world.issuer.count(of: "/token refresh_token") == 0)
        world.issuer.advance(by: 1)
        _ = try await user.getIDToken()
        #expect(world.issuer.count(of: "/token refresh_token") == 1)
        #expect(auth.currentUser?.uid == "ada")
    }

    @Test("After a refresh without an ID token, one of another user is refused")
    func impostorLater() async throws {
        let (auth, user) = try await signedIn()
        world.issuer.change { $0.givesIDTokenAtRefresh = false }
        world.issuer.advance(by: 3400)
        _ = try await user.accessToken(forScopes: [], forcingRefresh: true)
        let before = user.refreshToken
        world.issuer.change {
            $0.givesIDTokenAtRefresh = true
            $0.impostor = "eve"
        }
        await expectFailure(.userMismatch) { try await user.accessToken(forScopes: [], forcingRefresh: true) }
        #expect(auth.currentUser?.uid == "ada")
        #expect(try world.app(world.openID()).currentUser?.refreshToken == before)
    }

    @Test("A sign-out also revokes the access tokens that are still valid")
    func accessTokenRevocation() async throws {
        let openID = world.openID()
        let later = world.issuer.now.addingTimeInterval(60)
        let access = AccessToken(token: "a", scopes: [], expirationDate: later)
        let expired = AccessToken(token: "x", scopes: ["x"], expirationDate: .distantPast)
        let tokens = UserTokens(
            idToken: nil,
            refreshToken: "r",
            expirationDate: later,
            accessTokens: [access, expired]
        )
        try await openID.revoke(tokens)
        #expect(world.issuer.script.withLock { $0.revoked } == ["r", "a"])
    }

    @Test("A revoked or reused refresh token ends the session with userTokenExpired")
    func invalidGrant() async throws {
        let (auth, user) = try await signedIn()
        world.issuer.change { $0.refreshTokens = [] }
        await expectFailure(.userTokenExpired) { try await user.getIDToken(forcingRefresh: true) }
        #expect(auth.currentUser == nil)
        #expect(try world.app(world.openID()).currentUser == nil)
    }

    static let passing: [BadAnswer] = [
        BadAnswer.answer("network down", .networkError, "/token", BadAnswer.unreachable),
        BadAnswer.answer("captive portal", .networkError, "/token", .success(.page())),
        BadAnswer.answer("proxy's page", .networkError, "/token", .success(.page(502))),
        BadAnswer.answer(
            "cut in the middle",
            .outcomeUnknown,
            "/token",
            .failure(HTTPError(.cutOff, "The connection broke.", requestWasSent: true))
        ),
        BadAnswer.answer("half an answer", .webInternalError, "/token", BadAnswer.half),
        BadAnswer.answer("too many", .tooManyRequests, "/token", .success(HTTPResponse(status: 429))),
        BadAnswer.answer("server_error", .webInternalError, "/token", .success(.refusal("server_error"))),
    ]

    static let lasting: [BadAnswer] = [
        BadAnswer.answer("invalid_client", .invalidClientID, "/token", .success(.refusal("invalid_client"))),
        BadAnswer.answer("invalid_request", .requiresRecentLogin, "/token", .success(.refusal("invalid_request"))),
        BadAnswer.answer("no word", .requiresRecentLogin, "/token", .success(HTTPResponse(status: 400))),
        BadAnswer("another user", .userMismatch) { $0.impostor = "eve" },
    ]

    static let refused: [BadAnswer] = [
        BadAnswer("another issuer", .invalidCredential) { $0.changeClaims = { $0["iss"] = "https://evil.example" } },
        BadAnswer("a wrong signature", .invalidCredential) { $0.signature = .ofOtherKey },
        BadAnswer("a key that is not published", .invalidCredential) { script in
            script.publishedKeys = script.keys
            script.keys = [.init("second")]
        },
        BadAnswer("keys that cannot be reached", .networkError) { script in
            script.keys = [.init("second")]
            script.answers["/keys"] = BadAnswer.unreachable
        },
        BadAnswer("keys that come too late", .timedOut) { script in
            script.keys = [.init("second")]
            script.answers["/keys"] = .failure(HTTPError(.timedOut, "It takes too long.", requestWasSent: true))
        },
    ]

    @Test(
        "If an ID token is refused, the other new tokens are stored before the error",
        arguments: refused
    )
    func refusedIDToken(_ bad: BadAnswer) async throws {
        let (auth, user) = try await signedIn()
        let (former, refreshToken) = (try await user.getIDToken(), user.refreshToken)
        let accessToken = try await user.accessToken()
        world.issuer.advance(by: 3000)
        world.issuer.change(bad.script)
        await expectFailure(bad.code) { try await user.getIDToken(forcingRefresh: true) }
        #expect(user.refreshToken != refreshToken && auth.currentUser === user)
        #expect(try world.app(world.openID()).currentUser?.refreshToken == user.refreshToken)
        // Valid tokens stay in use: the earlier ID token until it expires, and the new access token.
        #expect(try await user.getIDToken() == former)
        #expect(try await user.accessToken() != accessToken)
        advance(by: 401)
        #expect(try await user.getIDToken() == former)
        advance(by: 200)
        await expectFailure(bad.code) { try await user.getIDToken() }
        let another = try await user.accessToken()
        #expect(try await user.accessToken(forcingRefresh: true) != another)
        world.issuer.change { script in
            script.changeClaims = { _ in }
            script.signature = .valid
            script.publishedKeys = nil
            script.answers = [:]
        }
        advance(by: 60)
        #expect(try await user.getIDToken() != former)
    }

    /// Advances the clocks of the issuer and of the app.
    private func advance(by seconds: TimeInterval) {
        world.issuer.advance(by: seconds)
        world.waited.advance(by: .seconds(seconds))
    }

    @Test("A refusal that does not pass keeps the session, and costs one request a minute", arguments: lasting)
    func staysRefused(_ bad: BadAnswer) async throws {
        let (auth, user) = try await signedIn()
        let before = user.snapshot.tokens
        world.issuer.change(bad.script)
        for _ in 1...3 { await expectFailure(bad.code) { try await user.getIDToken(forcingRefresh: true) } }
        #expect(world.issuer.count(of: "/token refresh_token") == 1)
        #expect(auth.currentUser === user && user.snapshot.tokens.isRest(of: before))
        world.issuer.advance(by: 60)
        _ = try? await user.getIDToken(forcingRefresh: true)
        #expect(world.issuer.count(of: "/token refresh_token") == 2)
    }

    @Test("Every error that passes keeps the session unchanged", arguments: passing)
    func staysSignedIn(_ bad: BadAnswer) async throws {
        let (auth, user) = try await signedIn()
        let before = try world.storedBytes()
        world.issuer.change(bad.script)
        await expectFailure(bad.code) { try await user.getIDToken(forcingRefresh: true) }
        #expect(auth.currentUser?.uid == "ada")
        #expect(try world.storedBytes() == before)
    }

    @Test("With a wrong clock at a refresh, tokens last as long as the provider says")
    func wrongClock() async throws {
        let (auth, user) = try await signedIn()
        world.issuer.change { script in
            script.changeClaims = { claims in
                for name in ["iat", "exp"] { claims[name] = .number((claims[name]?.number ?? 0) - 7200) }
            }
        }
        _ = try await user.getIDToken(forcingRefresh: true)
        let tokens = try await world.openID().refresh(stored(user), scopes: [])
        #expect(tokens.expirationDate == world.issuer.now.addingTimeInterval(3600))
        #expect(auth.currentUser?.uid == "ada")
    }

    @Test(
        "If a refresh cannot fetch keys, it keeps the ID token and renews other tokens"
    )
    func keysUnreachable() async throws {
        let openID = world.openID()
        let tokens = try await tokens(of: openID)
        world.issuer.change { script in
            script.keys = [.init("second")]
            script.answers["/keys"] = BadAnswer.unreachable
        }
        let error = await expectFailure(.networkError) { try await openID.refresh(tokens, scopes: []) }
        guard let next = error?.details?.tokens else {
            Issue.record("the new tokens are lost")
            return
        }
        #expect(next.idToken == tokens.idToken && next.expirationDate == tokens.expirationDate)
        #expect(next.refreshToken != tokens.refreshToken)
        #expect(next.accessTokens.first?.token != tokens.accessTokens.first?.token)
    }

    @Test("If a response has no ID token, the current one stays until it expires")
    func noIDToken() async throws {
        world.issuer.change { $0.givesIDTokenAtRefresh = false }
        let openID = world.openID()
        let first = try await tokens(of: openID)
        let second = try await openID.refresh(first, scopes: [])
        #expect(second.idToken == first.idToken && second.expirationDate == first.expirationDate)
        world.issuer.advance(by: 3599)
        let third = try await openID.refresh(second, scopes: [])
        #expect(third.idToken == first.idToken && third.expirationDate == first.expirationDate)
        world.issuer.advance(by: 1)
        let fourth = try await openID.refresh(third, scopes: [])
        #expect(fourth.idToken == nil)
        #expect(fourth.expirationDate == world.issuer.now.addingTimeInterval(3600))
        #expect(fourth.accessTokens.first?.expirationDate == fourth.expirationDate)
    }

    @Test("An ID token that came when the clock was ahead stays until its own date", arguments: [60.0, 3500, 3601])
    func wrongClock(passed: TimeInterval) async throws {
        world.issuer.change { $0.givesIDTokenAtRefresh = false }
        let openID = world.openID()
        let first = try await tokens(of: openID)
        let ahead = UserTokens(
            idToken: first.idToken,
            refreshToken: first.refreshToken,
            expirationDate: first.expirationDate + 3 * 3600,
            accessTokens: first.accessTokens,
            issueDate: world.issuer.now + 3 * 3600
        )
        world.issuer.advance(by: passed)
        let second = try await openID.refresh(ahead, scopes: [])
        #expect(second.idToken == (passed < 3600 ? first.idToken : nil))
        #expect(passed > 3600 || abs(second.expirationDate.timeIntervalSince(first.expirationDate)) <= 1)
    }

    @Test("Fewer scopes give an access token for them only, and keep the ID token")
    func scopes() async throws {
        world.issuer.change { $0.givesIDTokenAtRefresh = false }
        let openID = world.openID()
        let first = try await tokens(of: openID)
        world.issuer.advance(by: 3500)
        let second = try await openID.refresh(first, scopes: ["mail.read", "email"])
        #expect(world.issuer.lastForm["scope"] == "email mail.read")
        #expect(second.accessTokens.map(\.scopes) == [["email", "mail.read"]])
        #expect(second.idToken == first.idToken && second.expirationDate == first.expirationDate)
    }

    @Test(
        "Without rotation the refresh token stays; without one the session ends at expiry"
    )
    func refreshTokens() async throws {
        let openID = world.openID()
        let first = try await tokens(of: openID)
        world.issuer.change { $0.givesRefreshToken = false }
        #expect(try await openID.refresh(first, scopes: []).refreshToken == first.refreshToken)
        let without = try await tokens(of: openID)
        #expect(without.refreshToken == nil)
        await expectFailure(.operationNotAllowed) { try await openID.refresh(without, scopes: []) }
        world.issuer.advance(by: 3601)
        await expectFailure(.userTokenExpired) { try await openID.refresh(without, scopes: []) }
    }

    @Test(
        "The profile is UserInfo's or the ID token's; another user's is refused"
    )
    func profile() async throws {
        let openID = world.openID()
        let tokens = try await tokens(of: openID)
        #expect(try await openID.profile(for: tokens).displayName == "Ada Lovelace")
        world.issuer.change { $0.userInfoSubject = "eve" }
        await expectFailure(.invalidCredential) { try await openID.profile(for: tokens) }
        world.issuer.advance(by: 3601)
        #expect(try await openID.profile(for: tokens).displayName == "Ada")
        world.issuer.change { script in
            script.answers["/userinfo"] = .success(HTTPResponse(status: 401))
        }
        world.issuer.advance(by: -3601)
        await expectFailure(.invalidCredential) { try await openID.profile(for: tokens) }
    }

    @Test("UserInfo is requested with an access token for openid, if there is one")
    func userInfoToken() async throws {
        let openID = world.openID()
        let tokens = try await tokens(of: openID)
        let good = try #require(tokens.accessTokens.first)
        let other = AccessToken(token: "of mail", scopes: ["mail"], expirationDate: good.expirationDate)
        func asked(_ accessTokens: AccessToken...) async throws -> String? {
            let tokens = UserTokens(
                idToken: tokens.idToken,
                refreshToken: nil,
                expirationDate: tokens.expirationDate,
                accessTokens: accessTokens
            )
            return try await openID.profile(for: tokens).displayName
        }
        #expect(good.scopes.contains("openid"))
        #expect(try await asked(other, good) == "Ada Lovelace")
        await expectFailure(.invalidCredential) { _ = try await asked(other) }
    }

    @Test("Revocation names the refresh token; without an endpoint nothing is sent")
    func revocation() async throws {
        let openID = world.openID()
        let tokens = try await tokens(of: openID)
        try await openID.revoke(tokens)
        #expect(
            world.issuer.lastForm == [
                "token": tokens.refreshToken ?? "", "token_type_hint": "refresh_token", "client_id": "desktop",
            ]
        )
        await expectFailure(.userTokenExpired) { try await openID.refresh(tokens, scopes: []) }
        world.issuer.change { script in
            script.answers["/revoke"] = BadAnswer.unreachable
        }
        await expectFailure(.networkError) { try await openID.revoke(tokens) }
        world.issuer.change { $0.changeMetadata = { $0["revocation_endpoint"] = nil } }
        try await world.openID().revoke(tokens)
    }

    @Test("A provider that revokes only for clients with a secret is called only by those")
    func revocationForSecrets() async throws {
        world.issuer.change {
            $0.changeMetadata = { $0["revocation_endpoint_auth_methods_supported"] = .array(["client_secret_basic"]) }
        }
        let openID = world.openID()
        let tokens = try await tokens(of: openID)
        #expect(openID.keptSession == nil)
        world.issuer.change { $0.answers["/revoke"] = BadAnswer.unreachable }
        try await openID.revoke(tokens)
        #expect(openID.keptSession == .notToPublicClients)
        world.issuer.change {
            $0.changeMetadata = { $0["revocation_endpoint_auth_methods_supported"] = .array(["none"]) }
        }
        await expectFailure(.networkError) { try await world.openID().revoke(tokens) }
    }

    @Test("A code exchange ends within Auth's time limit; a refresh lasts longer")
    func times() async throws {
        let openID = world.openID()
        let limit = AuthApp.Options(appID: "com.example.Mail").identityTimeout
        let tokens = try await tokens(of: openID)
        #expect(try #require(world.issuer.script.withLock { $0.times["/token authorization_code"] }) < limit)
        _ = try await openID.refresh(tokens, scopes: [])
        #expect(try #require(world.issuer.script.withLock { $0.times["/token refresh_token"] }) > limit)
    }

    @Test("The end-session page gets client and return address, but no secret")
    func endOfSession() async throws {
        let destination = try #require(URL(string: "https://app.example/bye"))
        let url = try await world.openID().endSessionURL(returningTo: destination)
        #expect(
            url?.absoluteString
                == "https://issuer.example/realm/logout?client_id=desktop"
                + "&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye"
        )
        world.issuer.change { $0.changeMetadata = { $0["end_session_endpoint"] = nil } }
        #expect(try await world.openID().endSessionURL() == nil)
    }

    private func tokens(of openID: OpenIDConnect) async throws -> UserTokens {
        try await openID.signIn(with: world.browser(openID).credential(), tenantID: nil).tokens
    }

    private func stored(_ user: User) -> UserTokens {
        UserTokens(idToken: nil, refreshToken: user.refreshToken, expirationDate: world.issuer.now)
    }
}
