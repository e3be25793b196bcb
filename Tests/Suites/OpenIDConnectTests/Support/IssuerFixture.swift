import Dispatch
import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

/// A scripted issuer, and apps that sign in there.
struct IssuerFixture: Sendable {
    let issuer = ScriptedIssuer()
    let store = InMemoryRecordStore()
    /// The apps, which their users do not keep.
    private let apps = Apps()
    /// The time that sign-ins have waited, without a delay of the test.
    let waited = Waits()

    /// Returns an identity provider as in a separate process.
    func openID(_ change: (inout OpenIDClient) -> Void = { _ in }) -> OpenIDConnect {
        var client = OpenIDClient(issuerURL: ScriptedIssuer.issuerURL, clientID: "desktop")
        change(&client)
        return OpenIDConnect(client, http: http, dependencies)
    }

    /// Returns an identity provider without ID tokens, as in a separate process.
    func oauth2(_ client: OAuthClient? = nil) -> OAuth2 {
        let client =
            client
            ?? OAuthClient(OAuthServer(issuerURL: ScriptedIssuer.issuerURL), clientID: "desktop", scopes: ["read"])
        return OAuth2(client.issuer, client, http: http, dependencies)
    }

    var http: HTTPClient {
        var policy = HTTPPolicy()
        policy.retryLimit = 0
        return HTTPClient(transport: issuer, policy: policy)
    }

    var dependencies: Dependencies {
        var dependencies = Dependencies()
        dependencies.now = { [issuer] in issuer.now }
        dependencies.elapsed = { [waited] in waited.time }
        dependencies.pause = { [waited] in try waited.wait($0) }
        return dependencies
    }

    /// Creates an app that signs users in with this identity provider.
    func app(_ openID: OpenIDConnect) throws -> Auth { try app(.openIDConnect(openID)) }

    /// Creates an app that signs users in with this identity provider.
    func app(_ identityProvider: IdentityProviderFactory, appID: String = "com.example.Mail") throws -> Auth {
        var options = AuthApp.Options(
            appID: appID,
            identityProvider: identityProvider,
            store: .custom(store),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "test.listeners")),
            stateDirectory: TestDirectory.newPath(),
            observesOtherProcesses: false
        )
        keepTime(of: &options)
        let auth = Auth.auth(app: try AuthApp(unregistered: options))
        apps.keep(auth)
        return auth
    }

    /// Gives an app the issuer's clock. It moves between two calls: a refresh in the background would fall before or after
    /// that.
    func keepTime(of options: inout AuthApp.Options) {
        options.now = { [issuer] in issuer.now }
        options.refreshesTokens = false
    }

    private final class Apps: Sendable {
        private let all = Mutex<[Auth]>([])
        func keep(_ auth: Auth) { all.withLock { $0.append(auth) } }
    }

    /// Returns a sign-in in a browser that immediately does what the user would do.
    func browser(_ openID: OpenIDConnect, _ change: (inout BrowserSettings) -> Void = { _ in }) -> OpenIDSignIn {
        OpenIDSignIn(openID, browser: settings(change))
    }

    func settings(_ change: (inout BrowserSettings) -> Void = { _ in }) -> BrowserSettings {
        var settings = BrowserSettings()
        settings.visit = { [issuer] _ throws(AuthError) in ScriptedBrowser(issuer) }
        change(&settings)
        return settings
    }
}

/// The browser and the listener in one.
final class ScriptedBrowser: BrowserVisit {
    let redirectURI = URL(string: "http://127.0.0.1:1234/callback")!
    private let issuer: ScriptedIssuer

    init(_ issuer: ScriptedIssuer) { self.issuer = issuer }

    func answer(
        opening url: URL,
        matching state: String,
        within timeout: Duration
    ) async throws(AuthError) -> [String: String] { issuer.authorize(url) }

    func end() {}
}

/// A browser that opens the page and never comes back.
struct SilentBrowser: BrowserVisit {
    let redirectURI = URL(string: "http://127.0.0.1:1234/callback")!
    let open: @Sendable (URL) -> Void

    func answer(
        opening url: URL,
        matching state: String,
        within timeout: Duration
    ) async throws(AuthError) -> [String: String] {
        open(url)
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        // Until it is cancelled.
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
        throw AuthError(.webContextCancelled, "It was closed.")
    }

    func end() {}
}

/// A clock that advances with each wait.
final class Waits: Sendable {
    private let state = Mutex((time: Duration.zero, waits: [Duration](), cancelsAt: Int.max))

    var time: Duration { state.withLock { $0.time } }
    var all: [Duration] { state.withLock { $0.waits } }
    func advance(by duration: Duration) { state.withLock { $0.time += duration } }
    func cancel(at number: Int) { state.withLock { $0.cancelsAt = number } }

    func wait(_ duration: Duration) throws {
        try state.withLock { state in
            state.waits.append(duration)
            state.time += duration
            if state.waits.count >= state.cancelsAt { throw CancellationError() }
        }
    }
}

extension Auth {
    /// Signs a user in.
    @discardableResult
    func signIn(by person: any FederatedAuthProvider) async throws -> User {
        try await signIn(with: person.credential()).user
    }
}
