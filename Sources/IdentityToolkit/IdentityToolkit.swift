// Its settings for the browser are public here, so that an app imports this module alone.
@_exported public import BrowserSignIn
public import FoundationEssentials
public import SharedAuth
public import SharedAuthHTTP
internal import Synchronization

/// Signs users in at Firebase Authentication, over HTTPS.
///
/// Give it to `AuthApp.Options.identityProvider` by `IdentityProviderFactory.firebase(apiKey:settings:)`, with the
/// project's API key as `Options.project`; then `Auth` and `User` have Firebase's own calls. The key must have no *application*
/// restriction: one for iOS apps, Android apps or web pages is refused. An *API* restriction has to allow both the Identity Toolkit
/// API and the Token Service API; that the second one is allowed is asked once, before the first sign-in of a process.
///
/// Methods may be called from any task. A session ends for what Firebase says of that session's own tokens alone: `userTokenExpired`,
/// `invalidUserToken`, `userNotFound`, `userDisabled`. Everything else leaves it: `networkError` if Firebase cannot be reached or a page
/// comes in the place of its answer, `outcomeUnknown` if the connection broke after a change was sent, `tooManyRequests`,
/// `invalidAPIKey`, `appNotAuthorized`. What Firebase said stands in ``IdentityToolkitRefusal``, the error's `underlying`.
public final class IdentityToolkit: IdentityProvider {
    /// Choices of the app.
    public struct Settings: Sendable {
        /// Sends the requests.
        public var transport: any HTTPTransport = .libsoup
        /// The limits of requests.
        public var policy = HTTPPolicy()
        /// Settings for the browser where Firebase itself asks another service, as `OAuthProvider` has it. The service
        /// knows the addresses that it redirects to, so the port has to be one of those: `http://127.0.0.1:` and the
        /// port, then the path.
        public var browser = BrowserSettings()
        /// The language of e-mails, such as `de`; nil: the project's. `Auth.languageCode` changes it.
        public var languageCode: String?
        /// Gives a token of App Check, which projects that enforce it ask for; nil from the closure sends none.
        ///
        /// It must not ask `Auth` or `User` for tokens: a refresh waits for it, so that both would wait for each other.
        public var appCheckToken: (@Sendable () async throws(AuthError) -> String?)?

        /// Makes settings of the defaults.
        public init() {}
    }

    /// The key of the project.
    public let apiKey: String
    let settings: Settings
    let now: @Sendable () -> Date
    private let state: Mutex<State>

    private struct State {
        var languageCode: String?
        var emulator: Emulator?
        /// Whether the key is known to be good for refreshes.
        var isKeyChecked = false
    }

    /// Makes an identity provider; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - apiKey: the key of the project.
    ///   - settings: choices of the app.
    ///   - now: the clock.
    public convenience init(
        apiKey: String,
        settings: Settings = Settings(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(Issuer(apiKey: apiKey), settings: settings, now: now)
    }

    /// Makes the identity provider of accounts that were issued before; nil if it is not Firebase that issued them.
    ///
    /// - Parameters:
    ///   - issuer: the value of ``issuer``. An emulator on another machine is not asked over plain http.
    ///   - settings: choices of the app.
    ///   - now: the clock.
    public convenience init?(
        issuer: String,
        settings: Settings = Settings(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        guard let issuer = Issuer(issuer) else { return nil }
        self.init(issuer, settings: settings, now: now)
    }

    private init(_ issuer: Issuer, settings: Settings, now: @escaping @Sendable () -> Date) {
        apiKey = issuer.apiKey
        self.settings = settings
        self.now = now
        state = Mutex(State(languageCode: settings.languageCode, emulator: issuer.emulator))
    }

    /// The issuer of the accounts: Firebase, or the emulator, and the key of the project. A session of the one is never
    /// shown to the other.
    public var issuer: String { Issuer(apiKey: apiKey, emulator: state.withLock { $0.emulator }).text }

    /// The language of e-mails.
    var languageCode: String? {
        get { state.withLock { $0.languageCode } }
        set { state.withLock { $0.languageCode = newValue } }
    }

    /// Sends everything to an emulator from now on.
    func use(_ emulator: Emulator) {
        state.withLock { $0.emulator = emulator }
    }

    /// Sends requests with the present settings.
    var backend: Backend {
        let state = state.withLock { (languageCode: $0.languageCode, emulator: $0.emulator) }
        var policy = settings.policy
        if let emulator = state.emulator, emulator.allowsPlainHTTP { policy.plainHosts.insert(emulator.host) }
        return Backend(
            apiKey: apiKey,
            emulator: state.emulator,
            http: HTTPClient(transport: settings.transport, policy: policy).forDocuments,
            languageCode: state.languageCode,
            appCheckToken: settings.appCheckToken
        )
    }

    /// Asks, once, whether the key is good for refreshes: with one that is not, sign-ins would work and sessions end after an hour.
    ///
    /// - Throws: `appNotAuthorized`, `invalidAPIKey`.
    func checkKey() async throws(AuthError) {
        let isDue = state.withLock { !$0.isKeyChecked && $0.emulator == nil }
        guard isDue else { return }
        do throws(AuthError) {
            try await tryKey()
        } catch {
            // The next call reports anything else that keeps Firebase from answering.
            guard [.appNotAuthorized, .invalidAPIKey].contains(error.code) else { return }
            throw error
        }
        state.withLock { $0.isKeyChecked = true }
    }

    /// Asks whether Firebase, or the emulator, is there, and takes the key for refreshes.
    ///
    /// - Throws: `appNotAuthorized`, `invalidAPIKey`, `networkError`, `timedOut`, `tooManyRequests`.
    package func tryKey() async throws(AuthError) {
        do throws(AuthError) {
            // Without a refresh token: the answer to a good key is that one is missing.
            _ = try await backend.exchange([("grant_type", "refresh_token")])
        } catch {
            let refusal = error.underlying as? IdentityToolkitRefusal
            let isAboutToken = ![.appNotAuthorized, .invalidAPIKey, .networkError].contains(error.code)
            guard refusal?.status == 400, isAboutToken else { throw error }
        }
    }
}

extension IdentityToolkit: CustomStringConvertible, CustomReflectable {
    /// The issuer.
    public var description: String { "IdentityToolkit(\(issuer))" }
    /// The issuer alone.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer]) }
}

extension IdentityProviderFactory {
    /// Firebase Authentication.
    ///
    /// - Parameters:
    ///   - apiKey: the key of the project; nil: `Options.project` is the key.
    ///   - settings: choices of the app.
    public static func firebase(
        apiKey: String? = nil,
        settings: IdentityToolkit.Settings = IdentityToolkit.Settings()
    ) -> IdentityProviderFactory {
        IdentityProviderFactory { context in
            IdentityToolkit(apiKey: apiKey ?? context.project, settings: settings, now: context.now)
        }
    }
}
