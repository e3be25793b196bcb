import Foundation
import SharedAuthHTTP
import TestSupport
import Testing

@testable import OpenIDConnect
@testable import SharedAuth

/// Tests what a refresh brings, as issuers answer it, and that no call costs more than it must.
struct RefreshedTokensTests {
    let world = IssuerFixture()

    private func signedIn(_ change: (inout OpenIDClient) -> Void = { _ in }) async throws -> (Auth, User) {
        let openID = world.openID(change)
        let auth = try world.app(openID)
        return (auth, try await auth.signIn(by: world.browser(openID)))
    }

    private var refreshes: Int { world.issuer.count(of: "/token refresh_token") }

    /// Sets claims of the ID tokens from now on.
    private func claim(_ claims: [String: JSONValue]) {
        world.issuer.change { $0.changeClaims = { $0.merge(claims) { $1 } } }
    }

    private func time(_ seconds: TimeInterval = 0) -> JSONValue {
        .number(world.issuer.now.timeIntervalSince1970 + seconds)
    }

    @Test("A later sign-in of the same user is taken over at a refresh")
    func laterSignIn() async throws {
        claim(["auth_time": time()])
        let (_, user) = try await signedIn()
        for _ in 1...3 {
            world.issuer.advance(by: 600)
            claim(["auth_time": time()])
            let signedIn = world.issuer.now
            #expect(try await user.getIDTokenResult(forcingRefresh: true).authDate == signedIn)
        }
        claim(["auth_time": .number(world.issuer.now.timeIntervalSince1970 - 30), "nonce": ""])
        _ = try await user.getIDToken(forcingRefresh: true)
        for odd in [JSONValue.null, "yesterday", .bool(true), -1, .array([])] {
            claim(["auth_time": odd])
            _ = try await user.getIDToken(forcingRefresh: true)
        }
    }

    @Test("An earlier sign-in is refused once a minute, and the refusal is told")
    func earlierSignIn() async throws {
        claim(["auth_time": time()])
        let (auth, user) = try await signedIn()
        claim(["auth_time": time(-3600)])
        world.issuer.advance(by: 3601)
        for _ in 1...10 {
            let error = await expectFailure(.invalidCredential) { try await user.getIDToken() }
            #expect(error?.message.contains("auth_time") == true)
        }
        #expect(refreshes == 1)
        let other = try #require(try world.app(world.openID()).currentUser)
        await expectFailure(.invalidCredential) { try await other.getIDToken() }
        #expect(refreshes == 1)
        // The access token came, so the session goes on without ID tokens.
        #expect(try await other.accessToken() == user.accessToken())
        #expect(refreshes == 1 && user.sessionFailure == nil)
        #expect(other.refreshFailure?.message.contains("auth_time") == true)
        #expect(auth.currentUser === user)
    }

    @Test("An ID token of two minutes that comes every other time serves every call")
    func everyOtherTime() async throws {
        world.issuer.change {
            $0.changeClaims = { $0["exp"] = .number(($0["iat"]?.number ?? 0) + 120) }
            $0.changeTokens = { $0["expires_in"] = 7200 }
        }
        let (_, user) = try await signedIn()
        var givesIDToken = false
        for _ in 1...200 {
            world.issuer.advance(by: 3)
            let asked = refreshes
            world.issuer.change { [givesIDToken] in $0.givesIDTokenAtRefresh = givesIDToken }
            let token = try await user.getIDTokenResult()
            #expect(token.expirationDate > world.issuer.now)
            if refreshes > asked { givesIDToken.toggle() }
        }
        #expect((8...12).contains(refreshes), "\(refreshes) in ten minutes")
    }

    @Test("Where no ID token comes any longer, calls that need one ask once a minute")
    func neverAgain() async throws {
        let (_, user) = try await signedIn()
        world.issuer.change { $0.givesIDTokenAtRefresh = false }
        world.issuer.advance(by: 3600)
        for _ in 1...5 {
            await expectFailure(.operationNotAllowed) { try await user.getIDToken() }
            _ = try await user.accessToken()
        }
        #expect(refreshes == 1)
        let other = try #require(try world.app(world.openID()).currentUser)
        await expectFailure(.operationNotAllowed) { try await other.getIDToken() }
        #expect(refreshes == 1)
        world.issuer.advance(by: 60)
        await expectFailure(.operationNotAllowed) { try await other.getIDToken() }
        #expect(refreshes == 2)
        world.issuer.change { $0.givesIDTokenAtRefresh = true }
        world.issuer.advance(by: 60)
        #expect(try await user.getIDTokenResult().expirationDate > world.issuer.now)
    }

    @Test("An access token that lasts a minute is used for half of it")
    func shortAccessToken() async throws {
        world.issuer.change { $0.changeTokens = { $0["expires_in"] = 60 } }
        let (_, user) = try await signedIn()
        for _ in 1...29 {
            world.issuer.advance(by: 1)
            _ = try await user.accessToken()
        }
        #expect(refreshes == 0)
        world.issuer.advance(by: 1)
        _ = try await user.accessToken()
        _ = try await user.accessToken()
        #expect(refreshes == 1)
    }

    @Test("An access token is found under the scopes asked and under those granted")
    func renamedScopes() async throws {
        let (_, user) = try await signedIn { $0.scopes = ["openid"] }
        world.issuer.change {
            $0.changeTokens = { answer in
                if answer["scope"] == "email" { answer["scope"] = "https://scopes.example/userinfo.email openid" }
            }
        }
        let token = try await user.accessToken(forScopes: ["email"])
        #expect(try await user.accessToken(forScopes: ["email"]) == token)
        #expect(try await user.accessToken(forScopes: ["https://scopes.example/userinfo.email"]) == token)
        let other = try #require(try world.app(world.openID()).currentUser)
        #expect(try await other.accessToken(forScopes: ["email"]) == token)
        #expect(refreshes == 1)
        #expect(try await user.accessToken() != token, "The token of the sign-in stays.")
        #expect(try await user.accessToken(forScopes: ["email"], forcingRefresh: true) != token)
        #expect(user.snapshot.tokens.accessTokens.count == 2)
    }

    @Test("The first token is found under the sign-in's scopes, whatever their names")
    func renamedAtSignIn() async throws {
        world.issuer.change { $0.changeTokens = { $0["scope"] = "openid https://scopes.example/userinfo.email" } }
        let (_, user) = try await signedIn { $0.scopes = ["openid", "email"] }
        let token = try await user.accessToken()
        #expect(try await user.accessToken(forScopes: ["openid", "email", "offline_access"]) == token)
        world.issuer.advance(by: 3600)
        let next = try await user.accessToken()
        #expect(try await user.accessToken(forScopes: ["openid", "email", "offline_access"]) == next)
        #expect(refreshes == 1)
    }

    @Test("A token for fewer scopes is not returned, nor asked for within a minute")
    func fewerScopes() async throws {
        let (_, user) = try await signedIn()
        world.issuer.change { $0.changeTokens = { $0["scope"] = "mail.read" } }
        for _ in 1...5 {
            await expectFailure(.operationNotAllowed) {
                try await user.accessToken(forScopes: ["mail.read", "mail.send"])
            }
        }
        #expect(refreshes == 1)
        // Scopes that stand for no permission are often granted without being named.
        world.issuer.advance(by: 3600)
        let token = try await user.accessToken(forScopes: ["mail.read", "offline_access", "openid"])
        #expect(try await user.accessToken(forScopes: ["mail.read", "offline_access", "openid"]) == token)
    }

    @Test("Two audiences need no authorized party; one that is there must be this client")
    func audiences() async throws {
        claim(["aud": .array(["desktop", "api"])])
        let (_, user) = try await signedIn()
        _ = try await user.getIDToken(forcingRefresh: true)
        claim(["aud": .array(["api", "desktop"]), "azp": "desktop"])
        _ = try await user.getIDToken(forcingRefresh: true)
        claim(["aud": .array(["desktop", "api"]), "azp": "api"])
        await expectFailure(.invalidCredential) { try await user.getIDToken(forcingRefresh: true) }
    }

    @Test("An empty optional claim counts as absent", arguments: ["azp", "at_hash", "auth_time", "acr", "name"])
    func emptyClaims(_ name: String) async throws {
        claim([name: ""])
        let (_, user) = try await signedIn()
        _ = try await user.getIDToken(forcingRefresh: true)
        claim(["nonce": ""])
        world.issuer.change { $0.deviceAnswers = ["authorization_pending"] }
        let device = try world.app(world.openID())
        #expect(try await device.signIn(by: DeviceSignIn(world.openID()) { _ in }).uid == "ada")
        _ = try await user.getIDToken(forcingRefresh: true)
    }

    @Test("A refresh token that comes with tokens of another type, or alone, is kept")
    func refreshTokenAlone() async throws {
        let (_, user) = try await signedIn()
        let changes: [@Sendable (inout [String: JSONValue]) -> Void] = [
            { $0["token_type"] = "DPoP" }, { ($0["access_token"], $0["id_token"]) = (nil, nil) },
            { ($0["access_token"], $0["id_token"]) = (.number(1), .null) },
        ]
        for change in changes {
            let former = user.refreshToken
            world.issuer.change { $0.changeTokens = change }
            for _ in 1...3 {
                do {
                    _ = try await user.getIDToken(forcingRefresh: true)
                    Issue.record("It was to fail.")
                } catch {
                    #expect([.operationNotAllowed, .webInternalError].contains(error.code))
                }
            }
            #expect(user.refreshToken != former)
            world.issuer.change { $0.changeTokens = { _ in } }
            world.issuer.advance(by: 60)
            _ = try await user.getIDToken(forcingRefresh: true)
        }
        #expect(refreshes == 2 * changes.count)
    }
}
