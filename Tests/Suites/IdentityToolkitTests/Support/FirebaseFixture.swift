import Dispatch
import Foundation
import IdentityToolkit
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport

/// A stand-in for Firebase, and apps that use it.
struct FirebaseFixture: Sendable {
    let store = InMemoryRecordStore()
    let clock: TestClock
    let firebase: FirebaseTransport
    private let apps = Apps()

    init() {
        clock = TestClock(Date(timeIntervalSince1970: 1_800_000_000))
        firebase = FirebaseTransport(clock)
    }

    /// The apps, which live as long as the fixture.
    private final class Apps: Sendable {
        let all = Mutex<[Auth]>([])
    }

    func toolkit(_ change: (inout IdentityToolkit.Settings) -> Void = { _ in }) -> IdentityToolkit {
        IdentityToolkit(apiKey: "KEY", settings: settings(change), now: { [clock] in clock.now })
    }

    func settings(_ change: (inout IdentityToolkit.Settings) -> Void = { _ in }) -> IdentityToolkit.Settings {
        var settings = IdentityToolkit.Settings()
        settings.transport = firebase
        settings.policy.retryLimit = 0
        change(&settings)
        return settings
    }

    /// Creates an app as in a separate process. The apps of one fixture share their users.
    func app(
        on store: (any RecordStore)? = nil,
        _ change: (inout IdentityToolkit.Settings) -> Void = { _ in }
    ) throws -> Auth {
        var options = AuthApp.Options(
            appID: "com.example.Mail",
            project: "KEY",
            identityProvider: .firebase(settings: settings(change)),
            store: .custom(store ?? self.store),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "test.listeners")),
            stateDirectory: TestDirectory.newPath(),
            observesOtherProcesses: false,
            refreshesTokens: false
        )
        options.now = { [clock] in clock.now }
        // The clock moves between two calls: a refresh in the background would fall before or after that.
        options.refreshesTokens = false
        let auth = Auth.auth(app: try AuthApp(unregistered: options))
        apps.all.withLock { $0.append(auth) }
        return auth
    }

    /// Creates an app with a user who has an address and a password.
    func signedIn(_ email: String = "ada@example.com") async throws -> (auth: Auth, user: User) {
        let auth = try app()
        let user = try await auth.createUser(withEmail: email, password: "secret").user
        firebase.forget()
        return (auth, user)
    }

    /// The refresh token that the slot holds.
    func storedRefreshToken() throws -> String? { try app().getStoredUser(forAccessGroup: nil)?.refreshToken }
}
