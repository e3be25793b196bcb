import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

/// Tests sessions at a server that issues no ID tokens.
struct OAuthSessionTests {
    let world = IssuerFixture()

    init() { world.issuer.change { $0.changeTokens = { $0["id_token"] = nil } } }

    private func app(_ oauth2: OAuth2? = nil) throws -> Auth { try world.app(.oauth2(oauth2 ?? world.oauth2())) }

    private func browser(_ oauth2: OAuth2) -> OAuthSignIn { OAuthSignIn(oauth2, browser: world.settings()) }

    private func client(_ user: OAuthUser) -> OAuthClient {
        OAuthClient(OAuthServer(issuerURL: ScriptedIssuer.issuerURL, user: user), clientID: "desktop", scopes: ["read"])
    }

    private func url(_ path: String) -> String { "\(ScriptedIssuer.issuerURL)\(path)" }

    @Test("A user signs in, is refreshed, and is signed out at the server", arguments: [false, true])
    func session(byDevice: Bool) async throws {
        let oauth2 = world.oauth2()
        let auth = try app(oauth2)
        let person: any FederatedAuthProvider = byDevice ? DeviceSignIn(oauth2) { _ in } : browser(oauth2)
        let user = try await auth.signIn(with: person).user
        #expect(user.uid == "ada" && user.displayName == "Ada Lovelace")
        let first = try await user.accessToken(forScopes: [])
        world.issuer.advance(by: 3600)
        let second = try await user.accessToken(forScopes: [])
        #expect(first != second && world.issuer.count(of: "/token refresh_token") == 1)
        try await auth.signOut(timeout: .seconds(5))
        #expect(world.issuer.script.withLock { $0.refreshTokens.isEmpty })
        #expect(auth.currentUser == nil)
    }

    @Test("Tokens without a lifetime never expire, and are never refreshed")
    func forever() async throws {
        world.issuer.change { script in
            script.givesRefreshToken = false
            script.changeTokens = { ($0["id_token"], $0["expires_in"]) = (nil, nil) }
        }
        let oauth2 = world.oauth2()
        let auth = try app(oauth2)
        let user = try await auth.signIn(with: browser(oauth2)).user
        let token = try await user.accessToken(forScopes: [])
        world.issuer.advance(by: 40 * 365 * 86400)
        // Another process reads the stored date.
        let peer = try app()
        let other = try #require(peer.currentUser)
        #expect(try await other.accessToken(forScopes: []) == token)
        #expect(try await user.accessToken(forScopes: []) == token)
        #expect(world.issuer.count(of: "/token refresh_token") == 0)
    }

    @Test("A token that names its end itself ends the session then", arguments: [false, true])
    func ownEnd(namesIssue: Bool) async throws {
        let now = world.issuer.now.timeIntervalSince1970
        var claims: [String: JSONValue] = ["exp": .number(now + 600)]
        if namesIssue { claims["iat"] = .number(now) }
        let parts = [JSONValue.object(["alg": "ES256"]), .object(claims)].map { Base64URL.encode($0.bytes) }
        let token = (parts + ["AA"]).joined(separator: ".")
        world.issuer.change { script in
            script.changeTokens = { $0 = ["access_token": .string(token), "token_type": "bearer"] }
            script.subjects[token] = "ada"
        }
        let oauth2 = world.oauth2()
        let auth = try app(oauth2)
        let user = try await auth.signIn(with: browser(oauth2)).user
        world.issuer.advance(by: 500)
        #expect(try await user.accessToken(forScopes: []) == token)
        world.issuer.advance(by: 101)
        await expectFailure(.userTokenExpired) { try await user.accessToken(forScopes: []) }
        #expect(auth.currentUser == nil)
    }

    @Test("With a refresh token, tokens without a lifetime are refreshed after an hour")
    func withoutLifetime() async throws {
        world.issuer.change { $0.changeTokens = { ($0["id_token"], $0["expires_in"]) = (nil, nil) } }
        let oauth2 = world.oauth2()
        let auth = try app(oauth2)
        let user = try await auth.signIn(with: browser(oauth2)).user
        for count in 0...1 {
            let token = try await user.accessToken(forScopes: [])
            world.issuer.advance(by: 3500)
            #expect(try await user.accessToken(forScopes: []) == token)
            #expect(world.issuer.count(of: "/token refresh_token") == count)
            world.issuer.advance(by: 100)
            #expect(try await user.accessToken(forScopes: []) != token)
        }
    }

    @Test("A user moves to an access group, and the session goes on there")
    func migrated() async throws {
        let oauth2 = world.oauth2()
        let auth = try app(oauth2)
        try await auth.signIn(with: browser(oauth2))
        try await auth.migrateCurrentUser(toAccessGroup: "group.com.example.office")
        let other = world.oauth2()
        let peer = try world.app(.oauth2(other), appID: "com.example.Calendar")
        try peer.useUserAccessGroup("group.com.example.office")
        let user = try #require(peer.currentUser)
        world.issuer.advance(by: 3600)
        _ = try await user.accessToken(forScopes: [])
        #expect(user.uid == "ada" && world.issuer.count(of: "/token refresh_token") == 1)
        try await peer.signOut(timeout: .seconds(5))
        #expect(world.issuer.script.withLock { $0.refreshTokens.isEmpty })
    }

    @Test("A client for resources names them in every request for tokens")
    func resources() async throws {
        var client = client(.published)
        client.resources = ["https://api.example.com/", "https://files.example.com/"]
        let oauth2 = world.oauth2(client)
        let pages = Mutex<[URL]>([])
        let settings = world.settings { settings in
            settings.visit = { [issuer = world.issuer] _ throws(AuthError) in
                ObservedBrowser(ScriptedBrowser(issuer)) { url in pages.withLock { $0.append(url) } }
            }
        }
        let auth = try app(oauth2)
        let user = try await auth.signIn(with: OAuthSignIn(oauth2, browser: settings)).user
        #expect(pages.withLock { $0[0].query?.components(separatedBy: "resource=").count } == 3)
        #expect(world.issuer.lastForm["resource"] == "https://files.example.com/")
        world.issuer.advance(by: 3600)
        _ = try await user.accessToken(forScopes: [])
        #expect(world.issuer.lastForm["resource"] == "https://files.example.com/")
        _ = try await DeviceSignIn(oauth2) { _ in }.credential()
        #expect(world.issuer.lastForm["resource"] == "https://files.example.com/")
    }

    @Test("The uid comes from UserInfo, introspection, a page, or the app's call")
    func users() async throws {
        world.issuer.change { script in
            script.changeUserInfo = { claims in
                claims["user"] = .object([
                    "id": 12345, "display_name": "Ada", "avatar_url": "https://a.example/ada.png",
                ])
            }
        }
        let call = OAuthUser.call { _ throws(AuthError) in UserProfile(uid: "from-the-call") }
        let rows: [(OAuthUser, uid: String)] = [
            (.published, "ada"), (.introspection(at: url("/introspect")), "ada"),
            (.userInfo(at: url("/userinfo")), "ada"),
            (.userInfo(at: url("/userinfo"), uid: "user.id"), "12345"),
            (call, "from-the-call"),
        ]
        for (user, uid) in rows {
            let oauth2 = world.oauth2(client(user))
            let auth = try app(oauth2)
            let found = try await auth.signIn(with: browser(oauth2)).user
            #expect(found.uid == uid)
            if uid == "12345" {
                #expect(found.displayName == "Ada" && found.photoURL?.absoluteString == "https://a.example/ada.png")
            }
        }
    }

    @Test("Without UserInfo in the metadata, introspection tells the user")
    func introspected() async throws {
        let changes: @Sendable (inout [String: JSONValue]) -> Void = { metadata in
            metadata["userinfo_endpoint"] = nil
            metadata["introspection_endpoint"] = .string("\(ScriptedIssuer.issuerURL)/introspect")
        }
        world.issuer.change { $0.changeMetadata = changes }
        let oauth2 = world.oauth2()
        let auth = try app(oauth2)
        world.issuer.change { $0.changeIntrospection = { $0["iat"] = 1_700_000_000 } }
        let user = try await auth.signIn(with: browser(oauth2)).user
        let date = user.metadata.lastSignInDate
        world.issuer.change { $0.changeIntrospection = { $0["iat"] = 1_700_003_600 } }
        try await user.reload()
        #expect(user.uid == "ada" && user.metadata.lastSignInDate == date)
        world.issuer.change { $0.changeIntrospection = { $0["client_id"] = "other" } }
        await expectFailure(.invalidCredential) { try await auth.signIn(with: browser(oauth2)) }
        world.issuer.change { $0.changeMetadata = { $0["userinfo_endpoint"] = nil } }
        let blind = world.oauth2()
        await expectFailure(.operationNotAllowed) { try await app(blind).signIn(with: browser(blind)) }
        #expect(world.issuer.script.withLock { $0.refreshTokens.count } == 1, "A sign-in left a session.")
    }

    @Test("Answers as forms, odd types and scopes with commas are read")
    func oddAnswers() async throws {
        world.issuer.change { script in
            script.answersWithForms = true
            script.changeTokens = { tokens in
                tokens["id_token"] = nil
                (tokens["token_type"], tokens["scope"]) = ("BEARER", "read,write")
            }
        }
        let oauth2 = world.oauth2()
        let auth = try app(oauth2)
        let user = try await auth.signIn(with: browser(oauth2)).user
        world.issuer.advance(by: 3600)
        let token = try await user.accessToken(forScopes: ["write"])
        #expect(token.hasPrefix("access-"))
        let form = HTTPResponse.form(["error": "invalid_grant", "error_description": "It is gone."])
        world.issuer.change { $0.answers["/token"] = .success(form) }
        world.issuer.advance(by: 3600)
        await expectFailure(.userTokenExpired) { try await user.accessToken(forScopes: []) }
    }

    @Test("A device reads forms, and waits while they say pending with status 200")
    func deviceForms() async throws {
        let codes: [String: JSONValue] = [
            "device_code": "device", "user_code": "ABCD-EFGH", "verification_uri": "https://issuer.example/device",
            "interval": "5",
        ]
        world.issuer.change { script in
            script.answersWithForms = true
            script.answers["/device"] = .success(.form(codes))
            script.answers["/token"] = .success(.form(["error": "authorization_pending"]))
        }
        let oauth2 = world.oauth2()
        let polls = Atomic(0)
        world.issuer.change { script in
            script.onTokens = { [issuer = world.issuer] in
                if polls.add(1, ordering: .relaxed).newValue == 3 { issuer.change { $0.answers["/token"] = nil } }
            }
        }
        let auth = try app(oauth2)
        let user = try await auth.signIn(with: DeviceSignIn(oauth2) { _ in }).user
        #expect(user.uid == "ada" && polls.load(ordering: .relaxed) >= 3)
    }

    @Test("A refused access token ends a session only if the server says that it is dead")
    func refusedToken() async throws {
        let dead = HTTPResponse(
            status: 401,
            headers: ["WWW-Authenticate": "Bearer realm=\"x\", error=\"invalid_token\""]
        )
        let rows: [(Bool, HTTPResponse, AuthErrorCode, stays: Bool)] = [
            (false, HTTPResponse(status: 401), .requiresRecentLogin, true),
            (false, HTTPResponse(status: 403), .invalidCredential, true),
            (false, .page(502), .networkError, true),
            (false, dead, .userTokenExpired, false),
            (false, .json(["error": "invalid_token"]), .userTokenExpired, false),
            (true, dead, .invalidCredential, true),
        ]
        for (hasRefreshToken, answer, code, stays) in rows {
            let world = IssuerFixture()
            world.issuer.change { script in
                script.givesRefreshToken = hasRefreshToken
                script.changeTokens = { $0["id_token"] = nil }
            }
            let oauth2 = world.oauth2()
            let auth = try world.app(.oauth2(oauth2))
            let user = try await auth.signIn(with: OAuthSignIn(oauth2, browser: world.settings())).user
            world.issuer.change { $0.answers["/userinfo"] = .success(answer) }
            await expectFailure(code) { try await user.reload() }
            #expect((auth.currentUser != nil) == stays, "\(code)")
        }
    }

    @Test("The app's own call ends only a session without a refresh token", arguments: [false, true])
    func ownCall(hasRefreshToken: Bool) async throws {
        world.issuer.change { $0.givesRefreshToken = hasRefreshToken }
        let isDead = Mutex(false)
        let call = OAuthUser.call { _ throws(AuthError) in
            if isDead.withLock({ $0 }) { throw AuthError(.userTokenExpired, "The token is dead.") }
            return UserProfile(uid: "ada")
        }
        let oauth2 = world.oauth2(client(call))
        let auth = try app(oauth2)
        let user = try await auth.signIn(with: browser(oauth2)).user
        isDead.withLock { $0 = true }
        await expectFailure(hasRefreshToken ? .invalidCredential : .userTokenExpired) { try await user.reload() }
        #expect((auth.currentUser != nil) == hasRefreshToken)
    }

    @Test("A refresh whose answer has only a new refresh token loses nothing")
    func halfRefresh() async throws {
        let oauth2 = world.oauth2()
        let auth = try app(oauth2)
        let user = try await auth.signIn(with: browser(oauth2)).user
        world.issuer.change { $0.changeTokens = { ($0["id_token"], $0["access_token"]) = (nil, nil) } }
        world.issuer.advance(by: 3600)
        await expectFailure(.webInternalError) { try await user.accessToken(forScopes: []) }
        world.issuer.change { $0.changeTokens = { $0["id_token"] = nil } }
        world.issuer.advance(by: 60)
        #expect(try await user.accessToken(forScopes: []).hasPrefix("access-"))
    }

    @Test("Endpoints without metadata serve a session, also one found by its issuer")
    func endpoints() async throws {
        let server = OAuthServer(
            authorizationEndpoint: url("/authorize"),
            tokenEndpoint: url("/token"),
            revocationEndpoint: url("/revoke"),
            user: .userInfo(at: url("/userinfo"))
        )
        world.issuer.change { $0.changeRedirect = { $0["iss"] = nil } }
        let oauth2 = world.oauth2(OAuthClient(server, clientID: "a b"))
        let auth = try app(oauth2)
        let user = try await auth.signIn(with: browser(oauth2)).user
        #expect(oauth2.issuer == "oauth2:\(ScriptedIssuer.issuerURL)/token#a%20b")
        #expect(!world.issuer.asked.contains { $0.contains("well-known") })
        let stored = OAuth2(oauth2.issuer, nil, http: world.http, world.dependencies)
        stored.attach(to: world.store, project: "default", timeout: .seconds(5))
        let tokens = try await stored.refresh(user.snapshotTokens, scopes: [])
        #expect(try await stored.profile(for: tokens).uid == "ada")
        try await stored.revoke(tokens)
        #expect(world.issuer.script.withLock { $0.refreshTokens.isEmpty })
    }

    @Test(
        "Metadata is found at the addresses of RFC 8414",
        arguments: [
            ("https://a.example", ["https://a.example/.well-known/oauth-authorization-server"]),
            ("https://a.example/", ["https://a.example/.well-known/oauth-authorization-server"]),
            (
                "https://a.example/b",
                [
                    "https://a.example/.well-known/oauth-authorization-server/b",
                    "https://a.example/b/.well-known/oauth-authorization-server",
                ]
            ),
        ]
    )
    func addresses(_ issuer: String, _ addresses: [String]) {
        let found = ServerMetadata.addresses(ofAuthorizationServer: issuer).map(\.text)
        #expect(found.dropLast() == addresses[...])
        #expect(found.last?.hasSuffix("/.well-known/openid-configuration") == true)
    }
}

extension User {
    /// The tokens, for a call of an identity provider.
    fileprivate var snapshotTokens: UserTokens {
        UserTokens(refreshToken: refreshToken, accessTokens: [])
    }
}
