internal import BrowserFlow
public import CSharedAuthGLib
internal import FoundationEssentials
internal import IdentityToolkit
internal import LocalIdentity
internal import OpenIDConnect
internal import SharedAuth
internal import Synchronization

/// The core of a `SharedAuthIdentityProvider`.
class ProviderCore: ObjectCore, @unchecked Sendable {
    /// Returns the factory of an engine's identity provider.
    ///
    /// - Parameters:
    ///   - object: The GObject of this core.
    ///   - audience: The sessions of the engine.
    /// - Throws: `operationNotAllowed` if the GObject is of no class of this library, or if its settings are malformed.
    func factory(
        for object: ObjectReference,
        _ audience: RequestAudience
    ) throws(AuthError) -> IdentityProviderFactory {
        let name = unsafe String(cString: g_type_name(shared_auth_glue_type_of(object.pointer)))
        throw AuthError(
            .operationNotAllowed,
            "The class \(name) of the identity provider implements nothing: it inherits from IdentityProvider, which has "
                + "no virtual functions.",
            remedy: "Connect to the signals of a CustomProvider."
        )
    }

    /// Returns whether sessions with this identity provider and with the other can share an engine.
    func canShareEngine(with other: ProviderCore) -> Bool { self === other }

    /// Configures the `Auth` of a new engine that uses this identity provider.
    ///
    /// - Throws: An error if a setting of the identity provider is malformed.
    func prepare(_ auth: Auth) throws(AuthError) {}

    /// Returns the browser sign-in.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider does not offer it; `invalidProviderID` if it requires a
    ///   provider id.
    func browserSignIn(at providerID: String?, for auth: Auth) throws(AuthError) -> any FederatedAuthProvider {
        throw .notOffered("sign-in in the browser", by: "of this session")
    }

    /// Returns the sign-in with a device code, which passes the code to `show`.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider does not offer it.
    func deviceSignIn(_ show: @escaping @Sendable (DeviceCode) -> Void) throws(AuthError) -> any FederatedAuthProvider {
        throw .notOffered("sign-in with a code", by: "of this session")
    }

    /// Passes on the redirect of a running browser sign-in by hand.
    ///
    /// - Throws: `operationNotAllowed` if the identity provider does not offer sign-in in the browser, or no sign-in is
    ///   running; `invalidCredential` if the address is not the redirect of one.
    func handle(redirect address: String) throws(AuthError) {
        throw .notOffered("sign-in in the browser", by: "of this session")
    }

    static let type = unsafe registerClass(
        "SharedAuthIdentityProvider",
        SharedAuthIdentityProviderClass.self,
        SharedAuthIdentityProvider.self,
        flags: G_TYPE_FLAG_ABSTRACT,
        classFunction: { klass, _ in unsafe prepareClass(klass) },
        instanceFunction: { instance, _ in unsafe install(ForeignProviderCore(), in: instance) }
    )
}

/// The core of an object whose class is not one of this library, and therefore does not replace it.
private final class ForeignProviderCore: ProviderCore, @unchecked Sendable {
    override func constructed(_ object: UnsafeMutableRawPointer) {
        critical("shared_auth_identity_provider_init", "SHARED_AUTH_IS_CUSTOM_PROVIDER (provider)")
    }
}

/// Emits `open-address` on the session whose call is running; without a handler, opens the desktop's browser.
private let desktopOpener = BrowserOpener { url throws(BrowserFlowError) in
    if let session = SessionCore.caller, await session.emitOpenAddress(url.absoluteString) { return }
    try await BrowserOpener.desktop.open(url)
}

extension BrowserSettings {
    /// Returns a copy for these redirects, which `handle(redirect:)` of this one also serves.
    fileprivate func redirecting(to port: guint) -> BrowserSettings {
        var settings = self
        settings.opener = desktopOpener
        settings.redirectPort = port == 0 ? nil : UInt16(clamping: port)
        return settings
    }
}

/// Returns the description of a property that holds a port; 0 stands for any free port.
private func portProperty(_ name: StaticString, _ flags: GParamFlags) -> UnsafeMutablePointer<GParamSpec>? {
    unsafe g_param_spec_uint(g_intern_string("\(name)"), nil, nil, 0, 65535, 0, flags)
}

/// The core of a `SharedAuthLocalProvider`.
final class LocalProviderCore: ProviderCore, @unchecked Sendable {
    override func factory(
        for object: ObjectReference,
        _ audience: RequestAudience
    ) throws(AuthError) -> IdentityProviderFactory { .local }

    override func canShareEngine(with other: ProviderCore) -> Bool { other is LocalProviderCore }

    static let localType = unsafe registerClass(
        "SharedAuthLocalProvider",
        parent: type,
        SharedAuthLocalProviderClass.self,
        SharedAuthLocalProvider.self,
        flags: G_TYPE_FLAG_FINAL,
        classFunction: { klass, _ in unsafe prepareClass(klass) },
        instanceFunction: { instance, _ in unsafe install(LocalProviderCore(), in: instance) }
    )
}

/// The core of a `SharedAuthOpenIDProvider`.
final class OpenIDProviderCore: ProviderCore, @unchecked Sendable {
    private let state = Mutex(State())

    /// Shared by all sign-ins, whose redirects can be passed on by hand.
    private let browser = BrowserSettings()

    private struct State {
        var settings = OpenIDSettings()
        var identityProvider: OpenIDConnect?
    }

    private var settings: OpenIDSettings { state.withLock { $0.settings } }

    override func canShareEngine(with other: ProviderCore) -> Bool {
        guard let other = other as? OpenIDProviderCore else { return false }
        return settings.isSame(as: other.settings)
    }

    private enum Property: guint {
        case issuer = 1
        case clientID, clientSecret, scopes, redirectPath, redirectPort
        case redirectHost, parameters, addsOfflineAccess, issuerTemplate
    }

    /// The identity provider that all sessions share, created at its first use.
    private var identityProvider: OpenIDConnect {
        state.withLock { state in
            if let identityProvider = state.identityProvider { return identityProvider }
            let settings = state.settings
            var client = OpenIDClient(
                issuerURL: settings.issuer,
                clientID: settings.clientID,
                clientSecret: settings.clientSecret
            )
            if let scopes = settings.scopes { client.scopes = scopes }
            client.addsOfflineAccess = settings.addsOfflineAccess
            client.issuerTemplate = settings.issuerTemplate
            let identityProvider = OpenIDConnect(client)
            state.identityProvider = identityProvider
            return identityProvider
        }
    }

    override func factory(
        for object: ObjectReference,
        _ audience: RequestAudience
    ) throws(AuthError) -> IdentityProviderFactory {
        try settings.check()
        return .openIDConnect(identityProvider)
    }

    override func browserSignIn(
        at providerID: String?,
        for auth: Auth
    ) throws(AuthError) -> any FederatedAuthProvider {
        let settings = settings
        guard let host = settings.redirectHost.map(RedirectHost.init) ?? .address else {
            throw AuthError(
                .operationNotAllowed,
                "The host of redirects is neither 127.0.0.1 nor localhost.",
                remedy: "Create the identity provider with one of them as redirect-host."
            )
        }
        var browser = browser.redirecting(to: settings.redirectPort)
        browser.redirectHost = host
        if let path = settings.redirectPath { browser.redirectPath = path }
        browser.parameters = settings.namedParameters
        return OpenIDSignIn(identityProvider, browser: browser)
    }

    override func deviceSignIn(
        _ show: @escaping @Sendable (DeviceCode) -> Void
    ) throws(AuthError) -> any FederatedAuthProvider {
        var signIn = DeviceSignIn(identityProvider, show: show)
        signIn.parameters = settings.namedParameters
        return signIn
    }

    override func handle(redirect address: String) throws(AuthError) { try browser.handle(redirect: address) }

    override func getProperty(_ property: guint, into value: UnsafeMutablePointer<GValue>) {
        guard let property = Property(rawValue: property) else { return }
        let settings = settings
        switch property {
        case .issuer: unsafe g_value_set_string(value, settings.issuer)
        case .clientID: unsafe g_value_set_string(value, settings.clientID)
        case .clientSecret: unsafe g_value_set_string(value, settings.clientSecret)
        case .scopes: unsafe value.setTexts(settings.scopes)
        case .redirectPath: unsafe g_value_set_string(value, settings.redirectPath)
        case .redirectPort: unsafe g_value_set_uint(value, settings.redirectPort)
        case .redirectHost: unsafe g_value_set_string(value, settings.redirectHost)
        case .parameters: unsafe value.setTexts(settings.parameters)
        case .addsOfflineAccess: unsafe g_value_set_boolean(value, settings.addsOfflineAccess ? 1 : 0)
        case .issuerTemplate: unsafe g_value_set_string(value, settings.issuerTemplate)
        }
    }

    override func setProperty(_ property: guint, from value: UnsafePointer<GValue>) {
        guard let property = Property(rawValue: property) else { return }
        state.withLock { state in
            switch property {
            case .issuer: state.settings.issuer = unsafe value.text ?? ""
            case .clientID: state.settings.clientID = unsafe value.text ?? ""
            case .clientSecret: state.settings.clientSecret = unsafe value.text
            case .scopes: state.settings.scopes = unsafe value.texts
            case .redirectPath: state.settings.redirectPath = unsafe value.text
            case .redirectPort: state.settings.redirectPort = unsafe g_value_get_uint(value)
            case .redirectHost: state.settings.redirectHost = unsafe value.text
            case .parameters: state.settings.parameters = unsafe value.texts
            case .addsOfflineAccess: state.settings.addsOfflineAccess = unsafe g_value_get_boolean(value) != 0
            case .issuerTemplate: state.settings.issuerTemplate = unsafe value.text
            }
        }
    }

    static let openIDType = unsafe registerClass(
        "SharedAuthOpenIDProvider",
        parent: type,
        SharedAuthOpenIDProviderClass.self,
        SharedAuthOpenIDProvider.self,
        flags: G_TYPE_FLAG_FINAL,
        classFunction: { klass, _ in
            let flags = shared_auth_glue_construct_only()
            unsafe prepareClass(
                klass,
                [
                    shared_auth_glue_string("issuer", flags), shared_auth_glue_string("client-id", flags),
                    shared_auth_glue_string("client-secret", flags), shared_auth_glue_strings("scopes", flags),
                    shared_auth_glue_string("redirect-path", flags), portProperty("redirect-port", flags),
                    shared_auth_glue_string("redirect-host", flags), shared_auth_glue_strings("parameters", flags),
                    g_param_spec_boolean("adds-offline-access", nil, nil, 1, flags),
                    shared_auth_glue_string("issuer-template", flags),
                ]
            )
        },
        instanceFunction: { instance, _ in unsafe install(OpenIDProviderCore(), in: instance) }
    )
}

/// The core of a `SharedAuthFirebaseProvider`.
final class FirebaseProviderCore: ProviderCore, @unchecked Sendable {
    private let state = Mutex(State())

    /// Shared by all sign-ins, whose redirects can be passed on by hand.
    private let browser = BrowserSettings()

    private struct State: Equatable {
        var apiKey: String?
        var emulator: String?
        var redirectPort: guint = 0
    }

    override func handle(redirect address: String) throws(AuthError) { try browser.handle(redirect: address) }

    override func canShareEngine(with other: ProviderCore) -> Bool {
        guard let other = other as? FirebaseProviderCore else { return false }
        return state.withLock { $0 } == other.state.withLock { $0 }
    }

    override func factory(
        for object: ObjectReference,
        _ audience: RequestAudience
    ) throws(AuthError) -> IdentityProviderFactory {
        let (apiKey, port) = state.withLock { ($0.apiKey, $0.redirectPort) }
        var settings = IdentityToolkit.Settings()
        settings.browser = browser.redirecting(to: port)
        return .firebase(apiKey: apiKey, settings: settings)
    }

    override func prepare(_ auth: Auth) throws(AuthError) {
        if let emulator = state.withLock({ $0.emulator }) { try auth.useEmulator(at: emulator, from: "emulator") }
    }

    override func browserSignIn(
        at providerID: String?,
        for auth: Auth
    ) throws(AuthError) -> any FederatedAuthProvider {
        guard let providerID else {
            throw AuthError(
                .invalidProviderID,
                "Firebase needs the service to sign in at. Pass its provider_id, such as google.com."
            )
        }
        return OAuthProvider(providerID: providerID, auth: auth)
    }

    override func getProperty(_ property: guint, into value: UnsafeMutablePointer<GValue>) {
        let (apiKey, emulator, port) = state.withLock { ($0.apiKey, $0.emulator, $0.redirectPort) }
        switch property {
        case 1: unsafe g_value_set_string(value, apiKey)
        case 2: unsafe g_value_set_string(value, emulator)
        default: unsafe g_value_set_uint(value, port)
        }
    }

    override func setProperty(_ property: guint, from value: UnsafePointer<GValue>) {
        if property == 3 {
            let port = unsafe g_value_get_uint(value)
            return state.withLock { $0.redirectPort = port }
        }
        let text = unsafe value.text
        state.withLock { state in if property == 1 { state.apiKey = text } else { state.emulator = text } }
    }

    static let firebaseType = unsafe registerClass(
        "SharedAuthFirebaseProvider",
        parent: type,
        SharedAuthFirebaseProviderClass.self,
        SharedAuthFirebaseProvider.self,
        flags: G_TYPE_FLAG_FINAL,
        classFunction: { klass, _ in
            let flags = shared_auth_glue_construct_only()
            unsafe prepareClass(
                klass,
                [
                    shared_auth_glue_string("api-key", flags), shared_auth_glue_string("emulator", flags),
                    portProperty("redirect-port", flags),
                ]
            )
        },
        instanceFunction: { instance, _ in unsafe install(FirebaseProviderCore(), in: instance) }
    )
}

/// Returns the GType of `SharedAuthIdentityProvider`.
@c @implementation
public func shared_auth_identity_provider_get_type() -> GType { ProviderCore.type }

/// Returns the GType of `SharedAuthLocalProvider`.
@c @implementation
public func shared_auth_local_provider_get_type() -> GType { LocalProviderCore.localType }

/// Creates a local identity provider.
@c @implementation
public func shared_auth_local_provider_new() -> UnsafeMutablePointer<SharedAuthLocalProvider>? {
    unsafe makeObject(LocalProviderCore.localType)?.assumingMemoryBound(to: SharedAuthLocalProvider.self)
}

/// Returns the GType of `SharedAuthOpenIDProvider`.
@c @implementation
public func shared_auth_openid_provider_get_type() -> GType { OpenIDProviderCore.openIDType }

/// Creates an identity provider for an OpenID provider.
@c @implementation
public func shared_auth_openid_provider_new(
    _ issuer: CText?,
    _ client_id: CText?
) -> UnsafeMutablePointer<SharedAuthOpenIDProvider>? {
    guard let issuer = unsafe text(issuer, "issuer", #function),
        let clientID = unsafe text(client_id, "client_id", #function)
    else { return nil }
    return unsafe makeObject(OpenIDProviderCore.openIDType, texts: [("issuer", issuer), ("client-id", clientID)])?
        .assumingMemoryBound(to: SharedAuthOpenIDProvider.self)
}

/// Returns the GType of `SharedAuthFirebaseProvider`.
@c @implementation
public func shared_auth_firebase_provider_get_type() -> GType { FirebaseProviderCore.firebaseType }

/// Creates an identity provider for Firebase Authentication.
@c @implementation
public func shared_auth_firebase_provider_new(_ api_key: CText?) -> UnsafeMutablePointer<SharedAuthFirebaseProvider>? {
    guard let apiKey = unsafe optionalText(api_key, "api_key", #function) else { return nil }
    return unsafe makeObject(FirebaseProviderCore.firebaseType, texts: [("api-key", apiKey)])?
        .assumingMemoryBound(to: SharedAuthFirebaseProvider.self)
}
