import Foundation
import SharedAuth
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

@Suite("Responses of another issuer")
struct MixUpTests {
    private let world = IssuerFixture()

    /// Returns the path of the redirect in a sign-in.
    private func path(_ change: (inout BrowserSettings) -> Void = { _ in }) async throws -> String {
        let path = Mutex("")
        let signIn = world.browser(world.openID()) { settings in
            let visit = settings.visit
            settings.visit = { settings throws(AuthError) in
                path.withLock { $0 = settings.redirectPath }
                return try visit(settings)
            }
            change(&settings)
        }
        _ = try await signIn.credential()
        return path.withLock { $0 }
    }

    private func promiseNothing() {
        world.issuer.change { script in
            script.changeMetadata = { $0["authorization_response_iss_parameter_supported"] = nil }
        }
    }

    @Test("An issuer that promises to name itself has the usual redirect path by default")
    func promised() async throws {
        #expect(try await path() == "/callback")
        let own = try await path { $0.separatesIssuers = true }
        #expect(own == BrowserSettings().redirectPath(for: ScriptedIssuer.issuerURL))
        #expect(own.hasPrefix("/callback/") && own.utf8.count == 22)
    }

    @Test("An issuer without that promise has a separate redirect path by default")
    func notPromised() async throws {
        promiseNothing()
        #expect(try await path() == BrowserSettings().redirectPath(for: ScriptedIssuer.issuerURL))
        #expect(try await path { $0.redirectPath = "/mine" } == "/mine")
        #expect(try await path { $0.separatesIssuers = false } == "/callback")
        let settings = BrowserSettings()
        #expect(settings.redirectPath(for: "https://a.example") != settings.redirectPath(for: "https://b.example"))
    }

    @Test("An unfinished sign-in names the redirect address to register")
    func unregistered() async throws {
        promiseNothing()
        let signIn = world.browser(world.openID()) { $0.visit = { _ in UnfinishedVisit() } }
        let error = await expectFailure(.timedOut) { try await signIn.credential() }
        let address = "http://127.0.0.1\(BrowserSettings().redirectPath(for: ScriptedIssuer.issuerURL))"
        #expect(error?.remedy?.contains(address) == true)
    }

    @Test("A plain OAuth 2 server with an issuer refuses the response of another issuer", arguments: [nil, "a", "b"])
    func plainOAuth(answering issuer: String?) async throws {
        world.issuer.change { script in
            script.answers["/token"] = .success(.json(["access_token": "gho", "token_type": "bearer"]))
            script.changeRedirect = { $0["iss"] = issuer.map { "https://\($0).example" } }
        }
        let server = OAuthServer(
            authorizationEndpoint: "\(ScriptedIssuer.issuerURL)/authorize",
            tokenEndpoint: "\(ScriptedIssuer.issuerURL)/token",
            issuer: "https://a.example",
            user: .published
        )
        let signIn = OAuthSignIn(
            world.oauth2(OAuthClient(server, clientID: "client")),
            browser: world.settings()
        )
        if issuer == "b" {
            await expectFailure(.invalidCredential) { try await signIn.credential() }
        } else {
            _ = try await signIn.credential()
        }
    }
}

/// A visit that never returns.
private struct UnfinishedVisit: BrowserVisit {
    let redirectURI = URL(string: "http://127.0.0.1:1234/callback")!

    func answer(
        opening url: URL,
        matching state: String,
        within timeout: Duration
    ) async throws(AuthError) -> [String: String] { throw AuthError(.timedOut, "It was not finished in time.") }

    func end() {}
}
