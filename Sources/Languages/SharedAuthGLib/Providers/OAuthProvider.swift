public import CSharedAuthGLib
internal import OpenIDConnect
internal import SharedAuth
internal import Synchronization

/// The core of a `SharedAuthOAuthProvider`.
final class OAuthProviderCore: BrowserProviderCore, @unchecked Sendable {
    private let state = Mutex(State())

    private struct State {
        var settings = OAuthSettings()
        var identityProvider: OAuth2?
    }

    private var settings: OAuthSettings { state.withLock { $0.settings } }

    override func canShareEngine(with other: ProviderCore) -> Bool {
        guard let other = other as? OAuthProviderCore else { return false }
        return settings.isSame(as: other.settings) && redirect.isSame(as: other.redirect)
    }

    enum Property: guint, CaseIterable {
        case issuer = 1
        case authorizationEndpoint, tokenEndpoint, deviceEndpoint, revocationEndpoint, registrationEndpoint
        case userEndpoint, uidMember, introspectionEndpoint
        case clientID, clientSecret, clientName, registrationToken, scopes, resources

        fileprivate var name: String {
            switch self {
            case .issuer: "issuer"
            case .authorizationEndpoint: "authorization-endpoint"
            case .tokenEndpoint: "token-endpoint"
            case .deviceEndpoint: "device-endpoint"
            case .revocationEndpoint: "revocation-endpoint"
            case .registrationEndpoint: "registration-endpoint"
            case .userEndpoint: "user-endpoint"
            case .uidMember: "uid-member"
            case .introspectionEndpoint: "introspection-endpoint"
            case .clientID: "client-id"
            case .clientSecret: "client-secret"
            case .clientName: "client-name"
            case .registrationToken: "registration-token"
            case .scopes: "scopes"
            case .resources: "resources"
            }
        }

        fileprivate var text: WritableKeyPath<OAuthSettings, String?>? {
            switch self {
            case .issuer: \.issuer
            case .authorizationEndpoint: \.authorizationEndpoint
            case .tokenEndpoint: \.tokenEndpoint
            case .deviceEndpoint: \.deviceEndpoint
            case .revocationEndpoint: \.revocationEndpoint
            case .registrationEndpoint: \.registrationEndpoint
            case .userEndpoint: \.userEndpoint
            case .uidMember: \.uidMember
            case .introspectionEndpoint: \.introspectionEndpoint
            case .clientID: \.clientID
            case .clientSecret: \.clientSecret
            case .clientName: \.clientName
            case .registrationToken: \.registrationToken
            case .scopes, .resources: nil
            }
        }

        fileprivate var texts: WritableKeyPath<OAuthSettings, [String]?>? {
            switch self {
            case .scopes: \.scopes
            case .resources: \.resources
            default: nil
            }
        }

        fileprivate func specification(_ flags: GParamFlags) -> UnsafeMutablePointer<GParamSpec>? {
            let name = unsafe g_intern_string(name)!
            return text == nil
                ? unsafe shared_auth_glue_strings(name, flags) : unsafe shared_auth_glue_string(name, flags)
        }
    }

    /// Returns the identity provider that all sessions share, created at its first use.
    ///
    /// - Throws: `operationNotAllowed` if a property is missing or malformed.
    private func identityProvider() throws(AuthError) -> OAuth2 {
        let (known, settings) = state.withLock { ($0.identityProvider, $0.settings) }
        if let known { return known }
        let new = OAuth2(try settings.client)
        return state.withLock { state in
            let identityProvider = state.identityProvider ?? new
            state.identityProvider = identityProvider
            return identityProvider
        }
    }

    override func factory(
        for object: ObjectReference,
        _ audience: RequestAudience
    ) throws(AuthError) -> IdentityProviderFactory {
        try redirect.check()
        return .oauth2(try identityProvider())
    }

    override func browserSignIn(
        at providerID: String?,
        for auth: Auth
    ) throws(AuthError) -> any FederatedAuthProvider {
        OAuthSignIn(try identityProvider(), browser: try browser())
    }

    override func deviceSignIn(
        _ show: @escaping @Sendable (DeviceCode) -> Void
    ) throws(AuthError) -> any FederatedAuthProvider {
        var signIn = DeviceSignIn(try identityProvider(), show: show)
        signIn.parameters = redirect.namedParameters
        return signIn
    }

    override func getProperty(_ property: guint, into value: UnsafeMutablePointer<GValue>) {
        guard let property = Property(rawValue: property) else {
            return unsafe super.getProperty(property, into: value)
        }
        if let text = property.text { unsafe g_value_set_string(value, settings[keyPath: text]) }
        if let texts = property.texts { unsafe value.setTexts(settings[keyPath: texts]) }
    }

    override func setProperty(_ property: guint, from value: UnsafePointer<GValue>) {
        guard let property = Property(rawValue: property) else {
            return unsafe super.setProperty(property, from: value)
        }
        state.withLock { state in
            if let text = property.text { state.settings[keyPath: text] = unsafe value.text }
            if let texts = property.texts { state.settings[keyPath: texts] = unsafe value.texts }
        }
    }

    static let oauthType = unsafe registerClass(
        "SharedAuthOAuthProvider",
        parent: type,
        SharedAuthOAuthProviderClass.self,
        SharedAuthOAuthProvider.self,
        flags: G_TYPE_FLAG_FINAL,
        classFunction: { klass, _ in
            let flags = shared_auth_glue_construct_only()
            unsafe prepareClass(klass, Property.allCases.map { unsafe $0.specification(flags) })
            unsafe installRedirects(in: klass)
        },
        instanceFunction: { instance, _ in unsafe install(OAuthProviderCore(), in: instance) }
    )
}

/// Returns the GType of `SharedAuthOAuthProvider`.
@c @implementation
public func shared_auth_oauth_provider_get_type() -> GType { OAuthProviderCore.oauthType }

/// Creates an identity provider for a plain OAuth 2 server.
@c @implementation
public func shared_auth_oauth_provider_new(_ issuer: CText?, _ client_id: CText?) -> OAuthProviderPointer? {
    guard let issuer = unsafe text(issuer, "issuer", #function),
        let clientID = unsafe text(client_id, "client_id", #function)
    else { return nil }
    return unsafe makeObject(OAuthProviderCore.oauthType, texts: [("issuer", issuer), ("client-id", clientID)])?
        .assumingMemoryBound(to: SharedAuthOAuthProvider.self)
}
