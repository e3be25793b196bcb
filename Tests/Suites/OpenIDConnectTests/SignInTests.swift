import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

struct SignInTests {
    let world = IssuerFixture()

    @Test(
        "A browser sign-in stores profile, tokens and issuer, with one state and nonce"
    )
    func browser() async throws {
        let openID = world.openID()
        let opened = Mutex<[String: String]>([:])
        let auth = try world.app(openID)
        let signIn = world.browser(openID) { settings in
            settings.parameters = ["prompt": "login", "login_hint": "a+b@example.com"]
            let visit = settings.visit
            settings.visit = { settings throws(AuthError) in
                ObservedBrowser(try visit(settings)) { url in
                    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
                    opened.withLock { $0 = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") }) }
                }
            }
        }
        let result = try await auth.signIn(with: signIn.credential())

        let user = result.user
        #expect(user.uid == "ada")
        #expect(user.displayName == "Ada Lovelace")
        #expect(user.email == "ada@example.com" && user.isEmailVerified)
        #expect(user.phoneNumber == "+44 1")
        #expect(user.providerData.map(\.providerID) == ["issuer.example"])
        #expect(user.refreshToken?.hasPrefix("refresh-") == true)
        #expect(try await user.getIDTokenResult().jsonClaims["aud"] == .string("desktop"))
        #expect(openID.issuer == "https://issuer.example/realm#desktop")

        let query = opened.withLock { $0 }
        #expect(query["response_type"] == "code" && query["client_id"] == "desktop")
        #expect(query["scope"] == "openid profile email offline_access")
        #expect(query["code_challenge_method"] == "S256" && query["code_challenge"]?.count == 43)
        #expect(query["state"]?.count == 43 && query["nonce"]?.count == 64)
        #expect(query["prompt"] == "login" && query["login_hint"] == "a+b@example.com")
        #expect(query["redirect_uri"] == "http://127.0.0.1:1234/callback")
        let form = world.issuer.script.withLock { $0.forms[0] }
        #expect(form["client_id"] == "desktop" && form["client_secret"] == nil && form["code_verifier"]?.count == 43)
    }

    @Test("A second sign-in creates new secrets and fetches neither discovery nor keys")
    func secondSignIn() async throws {
        let openID = world.openID()
        let auth = try world.app(openID)
        try await auth.signIn(by: world.browser(openID))
        try await auth.signIn(by: world.browser(openID))
        #expect(world.issuer.count(of: "/.well-known/openid-configuration") == 1)
        #expect(world.issuer.count(of: "/keys") == 1)
        let verifiers = world.issuer.script.withLock { $0.forms.compactMap { $0["code_verifier"] } }
        #expect(Set(verifiers).count == 2)
    }

    @Test("A client secret is sent in the header, or in the form if only that is accepted")
    func secret() async throws {
        let openID = world.openID { $0.clientSecret = "s:1" }
        _ = try await world.browser(openID).credential()
        #expect(world.issuer.lastForm["client_secret"] == nil)
        #expect(ClientAuthentication(clientID: "a", secret: "s:1", isInHeader: true).header == "Basic YTpzJTNBMQ==")
        world.issuer.change {
            $0.changeMetadata = { $0["token_endpoint_auth_methods_supported"] = .array(["client_secret_post"]) }
        }
        _ = try await world.browser(world.openID { $0.clientSecret = "s:1" }).credential()
        #expect(world.issuer.lastForm["client_secret"] == "s:1")
    }

    @Test("An open browser sign-in does not prevent another")
    func twoAtOnce() async throws {
        let openID = world.openID()
        let second = world.browser(openID)
        let first = world.browser(openID) { settings in
            let visit = settings.visit
            settings.visit = { settings throws(AuthError) in
                ObservedBrowser(try visit(settings)) { _ in
                    await #expect(throws: Never.self) { _ = try await second.credential() }
                }
            }
        }
        _ = try await first.credential()
    }

    @Test("The user is done when the browser returns or the device code is confirmed")
    func userIsDone() async throws {
        let (openID, issuer) = (world.openID(), world.issuer)
        let asked = Mutex<[[String]]>([])
        _ = try await world.browser(openID).credential { asked.withLock { $0.append(issuer.asked) } }
        #expect(asked.withLock { $0 } == [["/.well-known/openid-configuration"]])
        _ = try await DeviceSignIn(openID) { _ in }.credential { asked.withLock { $0.append(issuer.asked) } }
        #expect(asked.withLock { $0.last?.last } == "/token urn:ietf:params:oauth:grant-type:device_code")
    }

    static let noUserInfo: [Result<HTTPResponse, HTTPError>] = [
        .success(HTTPResponse(status: 401)), .success(HTTPResponse(status: 403)), .success(HTTPResponse(status: 500)),
        BadAnswer.unreachable, BadAnswer.half,
    ]

    @Test(
        "A sign-in without UserInfo uses the ID token, and a reload tries again",
        arguments: noUserInfo
    )
    func silentUserInfo(_ answer: Result<HTTPResponse, HTTPError>) async throws {
        world.issuer.change { $0.answers["/userinfo"] = answer }
        let openID = world.openID()
        let auth = try world.app(openID)
        let user = try await auth.signIn(by: world.browser(openID))
        #expect(user.displayName == "Ada" && user.email == "ada@example.com")
        world.issuer.change { $0.answers = [:] }
        try await user.reload()
        #expect(user.displayName == "Ada Lovelace" && auth.currentUser === user)
    }

    @Test("A sign-in requests UserInfo once, for at most 5 seconds; a reload has longer")
    func hangingUserInfo() async throws {
        world.issuer.change { $0.answers["/userinfo"] = BadAnswer.unreachable }
        let client = OpenIDClient(issuerURL: ScriptedIssuer.issuerURL, clientID: "desktop")
        let openID = OpenIDConnect(client, http: HTTPClient(transport: world.issuer), world.dependencies)
        let auth = try world.app(openID)
        let user = try await auth.signIn(by: world.browser(openID))
        #expect(world.issuer.count(of: "/userinfo") == 1)
        #expect(try #require(world.issuer.script.withLock { $0.times["/userinfo"] }) <= .seconds(5))
        world.issuer.change { $0.answers = [:] }
        try await user.reload()
        #expect(try #require(world.issuer.script.withLock { $0.times["/userinfo"] }) > .seconds(5))
    }

    @Test(
        "A verified address of the ID token does not verify UserInfo's address",
        arguments: [nil, true]
    )
    func verifiedAddress(isVerified: Bool?) async throws {
        var members: [String: JSONValue] = ["sub": "ada", "email": "new@example.com"]
        if let isVerified { members["email_verified"] = .bool(isVerified) }
        let answer = HTTPResponse.json(members)
        world.issuer.change { $0.answers["/userinfo"] = .success(answer) }
        let openID = world.openID()
        let auth = try world.app(openID)
        let user = try await auth.signIn(by: world.browser(openID))
        #expect(user.email == "new@example.com")
        #expect(user.isEmailVerified == (isVerified ?? false) && auth.currentUser === user)
    }

    @Test(
        "The app cannot replace a parameter that SharedAuth sets",
        arguments: ["state", "redirect_uri", "scope"]
    )
    func ownParameter(_ name: String) async throws {
        let signIn = world.browser(world.openID()) { $0.parameters = [name: "x"] }
        await expectFailure(.operationNotAllowed) { try await signIn.credential() }
    }

    @Test("With max_age, the ID token must show a recent sign-in")
    func age() async throws {
        let openID = world.openID()
        let signIn = world.browser(openID) { $0.parameters = ["max_age": "60"] }
        await expectFailure(.requiresRecentLogin) { try await signIn.credential() }
        world.issuer.change { $0.changeClaims = { $0["auth_time"] = .number(1_800_000_000 - 121) } }
        await expectFailure(.requiresRecentLogin) { try await signIn.credential() }
        world.issuer.change { $0.changeClaims = { $0["auth_time"] = .number(1_800_000_000 - 60) } }
        _ = try await signIn.credential()
    }

    @Test(
        "An invalid client is refused before anything is sent",
        arguments: [
            ("http://issuer.example", "desktop", AuthErrorCode.operationNotAllowed),
            ("issuer.example", "desktop", .operationNotAllowed),
            ("https://issuer.example?x=1", "desktop", .operationNotAllowed),
            ("https://issuer.example", "", .invalidClientID),
            ("https://issuer.example", "a\nb", .invalidClientID),
        ]
    )
    func badClient(_ issuerURL: String, _ clientID: String, _ code: AuthErrorCode) async throws {
        let client = OpenIDClient(issuerURL: issuerURL, clientID: clientID)
        let openID = OpenIDConnect(client, http: world.http, world.dependencies)
        await expectFailure(code) { try await world.browser(openID).credential() }
        #expect(world.issuer.asked.isEmpty)
    }

    @Test("A credential of another kind is refused")
    func otherCredential() async throws {
        let auth = try world.app(world.openID())
        await expectFailure(.operationNotAllowed) { try await auth.signIn(withEmail: "a@example.com", password: "p") }
        await expectFailure(.operationNotAllowed) { try await auth.signInAnonymously() }
    }

    @Test("An ID token from elsewhere needs its raw nonce")
    func foreignToken() async throws {
        let openID = world.openID()
        let token = world.issuer.idToken(nonce: SignInSecrets.nonce("raw"), accessToken: "a")
        func signIn(_ rawNonce: String?) async throws {
            let credential = OAuthCredential(providerID: "x", idToken: token, rawNonce: rawNonce)
            _ = try await openID.signIn(with: OAuthProvider.credential(credential), tenantID: nil)
        }
        await expectFailure(.missingOrInvalidNonce) { try await signIn(nil) }
        await expectFailure(.missingOrInvalidNonce) { try await signIn(SignInSecrets.nonce("raw")) }
        try await signIn("raw")
    }
}

/// A browser whose pages a test observes.
final class ObservedBrowser: BrowserVisit {
    private let browser: any BrowserVisit
    private let look: @Sendable (URL) async -> Void

    init(_ browser: any BrowserVisit, _ look: @escaping @Sendable (URL) async -> Void) {
        (self.browser, self.look) = (browser, look)
    }

    var redirectURI: URL { browser.redirectURI }

    func answer(
        opening url: URL,
        matching state: String,
        within timeout: Duration
    ) async throws(AuthError) -> [String: String] {
        await look(url)
        return try await browser.answer(opening: url, matching: state, within: timeout)
    }

    func end() {}
}
