import Foundation
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

/// Sign-ins at services that Firebase itself calls: it creates the page's address and receives the response.
struct BrowserTests {
    private let world = FirebaseFixture()

    /// Returns a page of the service as Firebase names it, for the requested redirect.
    private func offerPage(_ state: String = "STATE", site: String = "https://service.example/authorize") {
        world.firebase.pages { body in
            let back = FormEncoding.escape(body.string("continueUri") ?? "")
            return .json(
                #"{"authUri": "\#(site)?client_id=c&redirect_uri=\#(back)&state=\#(state)", "sessionId": "SESSION", "providerId": "x"}"#
            )
        }
    }

    private func app(_ person: BrowserUser, _ change: @Sendable (inout BrowserSettings) -> Void = { _ in }) throws
        -> Auth
    {
        var browser = person.settings
        change(&browser)
        return try world.app { $0.browser = browser }
    }

    private func returning(_ answer: BrowserUser.Answer) -> BrowserUser { BrowserUser { _, _ in answer } }

    @Test("Firebase creates the page and receives the response; the user is signed in")
    func signIn() async throws {
        offerPage()
        let person = returning(["code": "ada code+/="])
        let auth = try app(person) { $0.parameters = ["prompt": "login", "hl": "de"] }
        let github = OAuthProvider(providerID: "github.com", auth: auth)
        github.scopes = ["read:user", "repo"]
        github.customParameters = ["prompt": "consent"]
        let result = try await auth.signIn(with: github)
        let asked = try #require(world.firebase.last("accounts:createAuthUri"))
        let back = try #require(asked.json?["continueUri"]?.string)
        #expect(back.hasPrefix("http://127.0.0.1:") && back.hasSuffix("/callback"))
        #expect(
            asked.json
                == JSONValue(
                    json:
                        #"{"providerId": "github.com", "continueUri": "\#(back)", "authFlowType": "CODE_FLOW", "oauthScope": "read:user repo", "customParameter": {"prompt": "consent", "hl": "de"}}"#
                )
        )
        #expect(person.pages.count == 1 && person.query["state"] == "STATE")
        let query = "code=ada%20code%2B%2F%3D&state=STATE"
        let sent = try #require(world.firebase.last("accounts:signInWithIdp")?.json)
        #expect(
            sent
                == JSONValue(
                    json:
                        #"{"requestUri": "\#(back)?\#(query)", "sessionId": "SESSION", "postBody": "\#(query)", "returnIdpCredential": true, "returnSecureToken": true, "autoCreate": true}"#
                )
        )
        #expect(auth.currentUser?.uid == result.user.uid)
        #expect(result.additionalUserInfo?.providerID == "github.com" && result.additionalUserInfo?.username == "ada.l")
        #expect(result.credential?.accessToken?.token == "there")
    }

    @Test("An anonymous user links a service, signs in there again, and keeps the uid")
    func linking() async throws {
        offerPage()
        let auth = try app(returning(["code": "ada"]))
        let user = try await auth.signInAnonymously().user
        let github = OAuthProvider(providerID: "github.com", auth: auth)
        try await user.link(with: github)
        #expect(!user.isAnonymous && user.providerData.map(\.providerID) == ["github.com"])
        let sent = try #require(world.firebase.last("accounts:signInWithIdp")?.json)
        #expect(sent["idToken"] != nil && sent["sessionId"] == .string("SESSION"))
        let before = user.refreshToken
        try await user.reauthenticate(with: github)
        #expect(user.refreshToken != before && auth.currentUser === user)
        #expect(world.firebase.last("accounts:signInWithIdp")?.json?["autoCreate"] == .bool(false))
        await expectFailure(.providerAlreadyLinked) { try await user.link(with: github) }
    }

    @Test("The tenant of Auth is sent with both calls")
    func tenant() async throws {
        offerPage()
        let auth = try app(returning(["code": "ada"]))
        auth.tenantID = "tenant"
        let user = try await auth.signIn(with: OAuthProvider(providerID: "oidc.company", auth: auth)).user
        for name in ["accounts:createAuthUri", "accounts:signInWithIdp"] {
            #expect(world.firebase.last(name)?.json?["tenantId"] == .string("tenant"))
        }
        #expect(user.tenantID == "tenant")
    }

    @Test("A declined sign-in has a distinct error, and no user is signed in")
    func declined() async throws {
        offerPage()
        let auth = try app(returning(["error": "access_denied"]))
        await expectFailure(.webContextCancelled) {
            try await auth.signIn(with: OAuthProvider(providerID: "github.com", auth: auth))
        }
        #expect(!world.firebase.names.contains("accounts:signInWithIdp"))
        let other = try app(returning(["error": "server_error"]))
        world.firebase.refuse("accounts:signInWithIdp", "INVALID_IDP_RESPONSE : The service failed.")
        await expectFailure(.invalidCredential) {
            try await other.signIn(with: OAuthProvider(providerID: "github.com", auth: other))
        }
        #expect(auth.currentUser == nil && other.currentUser == nil)
    }

    @Test("A service that the project has not enabled is refused before a browser opens")
    func notOffered() async throws {
        let person = returning([:])
        let auth = try app(person)
        world.firebase.refuse("accounts:createAuthUri", "OPERATION_NOT_ALLOWED : The provider is not enabled.")
        await expectFailure(.operationNotAllowed) {
            try await auth.signIn(with: OAuthProvider(providerID: "github.com", auth: auth))
        }
        #expect(person.pages.isEmpty)
    }

    @Test("A key that cannot refresh is refused before a browser opens")
    func noRefresh() async throws {
        offerPage()
        let person = returning(["code": "ada"])
        let auth = try app(person)
        world.firebase.answer(
            "token",
            .refusal("Blocked.", status: 403, #", "details": [{"reason": "API_KEY_SERVICE_BLOCKED"}]"#)
        )
        await expectFailure(.appNotAuthorized) {
            try await auth.signIn(with: OAuthProvider(providerID: "github.com", auth: auth))
        }
        #expect(person.pages.isEmpty && world.firebase.names == ["token"])
    }

    @Test("An unfinished sign-in ends with its task and frees the port")
    func cancelled() async throws {
        offerPage()
        let person = BrowserUser(comesBack: false)
        let auth = try app(person)
        let signIn = Task { try await auth.signIn(with: OAuthProvider(providerID: "github.com", auth: auth)) }
        await person.waitForPage()
        let port = try #require(person.query["redirect_uri"].flatMap { URL(string: $0)?.port })
        signIn.cancel()
        await expectFailure(.webContextCancelled) { _ = try await signIn.value }
        #expect(auth.currentUser == nil)
        let again = try app(returning(["code": "ada"])) { $0.redirectPort = UInt16(port) }
        try await again.signIn(with: OAuthProvider(providerID: "github.com", auth: again))
        #expect(again.currentUser != nil)
    }

    @Test(
        "A response without a valid page opens none",
        arguments: [
            #"{"sessionId": "S"}"#, #"{"authUri": "https://service.example/?state=s"}"#,
            #"{"authUri": "https://service.example/", "sessionId": "S"}"#,
            #"{"authUri": "http://service.example/?state=s", "sessionId": "S"}"#,
            #"{"authUri": "file:///etc/passwd?state=s", "sessionId": "S"}"#,
        ]
    )
    func noPage(_ answer: String) async throws {
        let person = returning([:])
        let auth = try app(person)
        world.firebase.answer("accounts:createAuthUri", .json(answer))
        await expectFailure(.internalError) {
            try await auth.signIn(with: OAuthProvider(providerID: "github.com", auth: auth))
        }
        #expect(person.pages.isEmpty)
    }

    @Test("An emulator's page does not need TLS")
    func emulator() async throws {
        offerPage(site: "http://127.0.0.1:9099/emulator/auth/handler")
        let auth = try app(returning(["code": "ada"]))
        auth.useEmulator(withHost: "127.0.0.1", port: 9099)
        try await auth.signIn(with: OAuthProvider(providerID: "google.com", auth: auth))
        #expect(auth.currentUser != nil)
    }

    @Test("An identity provider without browser sign-in throws operationNotAllowed")
    func otherProvider() async throws {
        var options = AuthApp.Options(
            appID: "com.example.Mail",
            identityProvider: ScriptedServer().source,
            store: .inMemory(),
            observesOtherProcesses: false
        )
        options.stateDirectory = TestDirectory.newPath()
        let app = try AuthApp(unregistered: options)
        let auth = Auth.auth(app: app)
        let error = await expectFailure(.operationNotAllowed) {
            try await auth.signIn(with: OAuthProvider(providerID: "github.com", auth: auth))
        }
        #expect(error?.message.contains("github.com") == true)
    }
}
