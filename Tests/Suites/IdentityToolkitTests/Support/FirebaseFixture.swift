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

    /// The apps of a world live as long as it does.
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

    /// An app as one process has it; apps of one world share their users.
    func app(_ change: (inout IdentityToolkit.Settings) -> Void = { _ in }) throws -> Auth {
        var options = AuthApp.Options(
            appID: "com.example.Mail",
            project: "KEY",
            identityProvider: .firebase(settings: settings(change)),
            store: .custom(store),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "test.listeners")),
            stateDirectory: TestDirectory.newPath(),
            observesOtherProcesses: false,
            refreshesTokens: false
        )
        options.now = { [clock] in clock.now }
        let auth = Auth.auth(app: try AuthApp(unregistered: options))
        apps.all.withLock { $0.append(auth) }
        return auth
    }

    /// An app with a user of an address and a password.
    func signedIn(_ email: String = "ada@example.com") async throws -> (auth: Auth, user: User) {
        let auth = try app()
        let user = try await auth.createUser(withEmail: email, password: "secret").user
        firebase.forget()
        return (auth, user)
    }

    /// The tokens that the slot holds.
    func storedRefreshToken() throws -> String? { try app().getStoredUser(forAccessGroup: nil)?.refreshToken }
}
