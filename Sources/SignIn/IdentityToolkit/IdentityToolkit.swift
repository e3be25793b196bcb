// Re-exports the browser settings, so that an app imports only this module.
@_exported public import BrowserSignIn
public import FoundationEssentials
public import SharedAuth
public import SharedAuthHTTP
internal import Synchronization

/// Signs users in at Firebase Authentication, over HTTPS.
///
/// Set `AuthApp.Options.identityProvider` to `IdentityProviderFactory.firebase(apiKey:settings:)` and `Options.project`
/// to the project's API key; `Auth` and `User` then have Firebase's own calls. The key must have no *application*
/// restriction: a key for iOS apps, Android apps or web pages is refused. If it has an *API* restriction, it must allow
/// both the Identity Toolkit API and the Token Service API. The second one is checked before each sign-in until a check
/// has succeeded.
///
/// Methods may be called from any task. Only an error about a session's own tokens ends that session:
/// `userTokenExpired`, `invalidUserToken`, `userNotFound`, `userDisabled`. All other errors leave it signed in:
/// `networkError` if Firebase cannot be reached or a web page arrives instead of its response, `outcomeUnknown` if the
/// connection broke after a change was sent, `tooManyRequests`, `invalidAPIKey`, `appNotAuthorized`. The `underlying`
/// error is an ``IdentityToolkitRefusal`` with Firebase's own words.
public final class IdentityToolkit: IdentityProvider {
    /// Options that the app chooses.
    public struct Settings: Sendable {
        /// The transport that sends the requests.
        public var transport: any HTTPTransport = .libsoup
        /// The request limits.
        public var policy = HTTPPolicy()
        /// The browser settings for sign-in with `OAuthProvider`, where Firebase itself talks to the service. The
        /// service redirects only to registered addresses, so register `http://127.0.0.1:`, the port and the path, and
        /// set that port here.
        public var browser = BrowserSettings()
        /// The e-mail language, such as `de`; nil for the project's default. `Auth.languageCode` changes it.
        public var languageCode: String?
        /// Returns an App Check token, which projects that enforce App Check require; if it returns nil, none is sent.
        ///
        /// It must not request tokens from `Auth` or `User`: a refresh waits for this closure, so the two would wait
        /// for each other.
        public var appCheckToken: (@Sendable () async throws(AuthError) -> String?)?

        /// Creates settings with default values.
        public init() {}
    }

    /// The project's API key.
    public let apiKey: String
    let settings: Settings
    let now: @Sendable () -> Date
    private let state: Mutex<State>

    private struct State {
        var languageCode: String?
        var emulator: Emulator?
        /// True if the key is known to allow refreshes.
        var isKeyChecked = false
    }

    /// Creates an identity provider. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - apiKey: The project's API key.
    ///   - settings: Options that the app chooses.
    ///   - now: The clock.
    public convenience init(
        apiKey: String,
        settings: Settings = Settings(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(Issuer(apiKey: apiKey), settings: settings, now: now)
    }

    /// Creates the identity provider of existing accounts; nil if Firebase did not issue them.
    ///
    /// - Parameters:
    ///   - issuer: The value of ``issuer``. An emulator on another machine is not contacted over plain HTTP.
    ///   - settings: Options that the app chooses.
    ///   - now: The clock.
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

    /// The issuer of the accounts: Firebase or the emulator, with the project's API key. A session of one is never sent
    /// to the other.
    public var issuer: String { Issuer(apiKey: apiKey, emulator: state.withLock { $0.emulator }).text }

    /// The e-mail language.
    var languageCode: String? {
        get { state.withLock { $0.languageCode } }
        set { state.withLock { $0.languageCode = newValue } }
    }

    /// Sends all requests to an emulator from now on.
    func use(_ emulator: Emulator) {
        state.withLock { $0.emulator = emulator }
    }

    /// A backend with the present settings.
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

    /// Checks once whether the key allows refreshes. Without this check, sign-ins would work but sessions would end
    /// after an hour.
    ///
    /// - Throws: `appNotAuthorized`, `invalidAPIKey`.
    func checkKey() async throws(AuthError) {
        let isDue = state.withLock { !$0.isKeyChecked && $0.emulator == nil }
        guard isDue else { return }
        do throws(AuthError) {
            try await tryKey()
        } catch {
            // The next call reports any other failure.
            guard [.appNotAuthorized, .invalidAPIKey].contains(error.code) else { return }
            throw error
        }
        state.withLock { $0.isKeyChecked = true }
    }

    /// Checks that Firebase, or the emulator, can be reached and accepts the key for refreshes.
    ///
    /// - Throws: `appNotAuthorized`, `invalidAPIKey`, `networkError`, `timedOut`, `tooManyRequests`.
    package func tryKey() async throws(AuthError) {
        do throws(AuthError) {
            // Sent without a refresh token: if the key is valid, the response says that the token is missing.
            _ = try await backend.exchange([("grant_type", "refresh_token")])
        } catch {
            let refusal = error.underlying as? IdentityToolkitRefusal
            let isAboutToken = ![.appNotAuthorized, .invalidAPIKey, .networkError].contains(error.code)
            guard refusal?.status == 400, isAboutToken else { throw error }
        }
    }
}

extension IdentityToolkit: Redacted {
    /// The type's name and the issuer.
    public var description: String { "IdentityToolkit(\(issuer))" }
    /// Shows the issuer only.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer]) }
}

extension IdentityProviderFactory {
    /// Signs users in at Firebase Authentication.
    ///
    /// - Parameters:
    ///   - apiKey: The project's API key; nil for the value of `Options.project`.
    ///   - settings: Options that the app chooses.
    public static func firebase(
        apiKey: String? = nil,
        settings: IdentityToolkit.Settings = IdentityToolkit.Settings()
    ) -> IdentityProviderFactory {
        IdentityProviderFactory { context in
            IdentityToolkit(apiKey: apiKey ?? context.project, settings: settings, now: context.now)
        }
    }
}
