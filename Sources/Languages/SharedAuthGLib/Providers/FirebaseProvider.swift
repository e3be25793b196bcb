public import CSharedAuthGLib
internal import IdentityToolkit
internal import SharedAuth
internal import Synchronization

/// The core of a `SharedAuthFirebaseProvider`.
final class FirebaseProviderCore: BrowserProviderCore, @unchecked Sendable {
    private let state = Mutex(State())

    private struct State: Equatable {
        var apiKey: String?
        var emulator: String?
    }

    fileprivate enum Property: guint {
        case apiKey = 1
        case emulator
    }

    override func canShareEngine(with other: ProviderCore) -> Bool {
        guard let other = other as? FirebaseProviderCore else { return false }
        return state.withLock { $0 } == other.state.withLock { $0 } && redirect.isSame(as: other.redirect)
    }

    override func factory(
        for object: ObjectReference,
        _ audience: RequestAudience
    ) throws(AuthError) -> IdentityProviderFactory {
        let apiKey = state.withLock { $0.apiKey }
        var settings = IdentityToolkit.Settings()
        settings.browser = try browser()
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
        let (apiKey, emulator) = state.withLock { ($0.apiKey, $0.emulator) }
        switch Property(rawValue: property) {
        case .apiKey: unsafe g_value_set_string(value, apiKey)
        case .emulator: unsafe g_value_set_string(value, emulator)
        case nil: unsafe super.getProperty(property, into: value)
        }
    }

    override func setProperty(_ property: guint, from value: UnsafePointer<GValue>) {
        switch Property(rawValue: property) {
        case .apiKey: state.withLock { $0.apiKey = unsafe value.text }
        case .emulator: state.withLock { $0.emulator = unsafe value.text }
        case nil: unsafe super.setProperty(property, from: value)
        }
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
                ]
            )
            unsafe installRedirects([.uri, .port, .pageTitle, .pageMessage], hasOwnScheme: false, in: klass)
        },
        instanceFunction: { instance, _ in unsafe install(FirebaseProviderCore(), in: instance) }
    )
}

/// Returns the GType of `SharedAuthFirebaseProvider`.
@c @implementation
public func shared_auth_firebase_provider_get_type() -> GType { FirebaseProviderCore.firebaseType }

/// Creates an identity provider for Firebase Authentication.
@c @implementation
public func shared_auth_firebase_provider_new(_ api_key: CText?) -> FirebaseProviderPointer? {
    guard let apiKey = unsafe optionalText(api_key, "api_key", #function) else { return nil }
    return unsafe makeObject(FirebaseProviderCore.firebaseType, texts: [("api-key", apiKey)])?
        .assumingMemoryBound(to: SharedAuthFirebaseProvider.self)
}

/// Returns a copy of the API key of the project.
@c @implementation
public func shared_auth_firebase_provider_dup_api_key(_ provider: FirebaseProviderPointer?) -> OwnedText? {
    unsafe firebaseCore(provider, #function)?.text(of: FirebaseProviderCore.Property.apiKey)
}

/// Returns a copy of the address of the emulator.
@c @implementation
public func shared_auth_firebase_provider_dup_emulator(_ provider: FirebaseProviderPointer?) -> OwnedText? {
    unsafe firebaseCore(provider, #function)?.text(of: FirebaseProviderCore.Property.emulator)
}

/// Returns the local port of the redirect URI.
@c @implementation
public func shared_auth_firebase_provider_get_redirect_port(_ provider: FirebaseProviderPointer?) -> guint {
    unsafe firebaseCore(provider, #function)?.number(of: FirebaseProviderCore.RedirectProperty.port) ?? 0
}

/// Returns a copy of the redirect URI of sign-ins in the browser.
@c @implementation
public func shared_auth_firebase_provider_dup_redirect_uri(_ provider: FirebaseProviderPointer?) -> OwnedText? {
    unsafe firebaseCore(provider, #function)?.text(of: FirebaseProviderCore.RedirectProperty.uri)
}

/// Returns a copy of the title of the browser's last page.
@c @implementation
public func shared_auth_firebase_provider_dup_page_title(_ provider: FirebaseProviderPointer?) -> OwnedText? {
    unsafe firebaseCore(provider, #function)?.text(of: FirebaseProviderCore.RedirectProperty.pageTitle)
}

/// Returns a copy of the text of the browser's last page.
@c @implementation
public func shared_auth_firebase_provider_dup_page_message(_ provider: FirebaseProviderPointer?) -> OwnedText? {
    unsafe firebaseCore(provider, #function)?.text(of: FirebaseProviderCore.RedirectProperty.pageMessage)
}

/// Returns the core of an identity provider. For any other pointer, logs a critical and returns nil.
private func firebaseCore(_ provider: FirebaseProviderPointer?, _ function: StaticString) -> FirebaseProviderCore? {
    let rule = "SHARED_AUTH_IS_FIREBASE_PROVIDER (provider)"
    guard unsafe isObject(provider, FirebaseProviderCore.firebaseType, rule, function) else { return nil }
    return unsafe core(of: provider!)
}
