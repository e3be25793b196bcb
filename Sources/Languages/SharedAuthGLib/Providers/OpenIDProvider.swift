public import CSharedAuthGLib
internal import OpenIDConnect
internal import SharedAuth
internal import Synchronization

/// The core of a `SharedAuthOpenIDProvider`.
final class OpenIDProviderCore: BrowserProviderCore, @unchecked Sendable {
    private let state = Mutex(State())

    private struct State {
        var settings = OpenIDSettings()
        var identityProvider: OpenIDConnect?
    }

    private var settings: OpenIDSettings { state.withLock { $0.settings } }

    override func canShareEngine(with other: ProviderCore) -> Bool {
        guard let other = other as? OpenIDProviderCore else { return false }
        return settings.isSame(as: other.settings) && redirect.isSame(as: other.redirect)
    }

    fileprivate enum Property: guint {
        case issuer = 1
        case clientID, clientSecret, scopes, addsOfflineAccess, issuerTemplate
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
        _ = try scopeSet(settings.scopes, named: "The list of the identity provider's scopes")
        try redirect.check()
        return .openIDConnect(identityProvider)
    }

    override func browserSignIn(
        at providerID: String?,
        for auth: Auth
    ) throws(AuthError) -> any FederatedAuthProvider {
        OpenIDSignIn(identityProvider, browser: try browser())
    }

    override func deviceSignIn(
        _ show: @escaping @Sendable (DeviceCode) -> Void
    ) throws(AuthError) -> any FederatedAuthProvider {
        var signIn = DeviceSignIn(identityProvider, show: show)
        signIn.parameters = redirect.namedParameters
        return signIn
    }

    override func getProperty(_ property: guint, into value: UnsafeMutablePointer<GValue>) {
        guard let property = Property(rawValue: property) else {
            return unsafe super.getProperty(property, into: value)
        }
        let settings = settings
        switch property {
        case .issuer: unsafe g_value_set_string(value, settings.issuer)
        case .clientID: unsafe g_value_set_string(value, settings.clientID)
        case .clientSecret: unsafe g_value_set_string(value, settings.clientSecret)
        case .scopes: unsafe value.setTexts(settings.scopes)
        case .addsOfflineAccess: unsafe g_value_set_boolean(value, settings.addsOfflineAccess ? 1 : 0)
        case .issuerTemplate: unsafe g_value_set_string(value, settings.issuerTemplate)
        }
    }

    override func setProperty(_ property: guint, from value: UnsafePointer<GValue>) {
        guard let property = Property(rawValue: property) else {
            return unsafe super.setProperty(property, from: value)
        }
        state.withLock { state in
            switch property {
            case .issuer: state.settings.issuer = unsafe value.text ?? ""
            case .clientID: state.settings.clientID = unsafe value.text ?? ""
            case .clientSecret: state.settings.clientSecret = unsafe value.text
            case .scopes: state.settings.scopes = unsafe value.texts
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
                    g_param_spec_boolean("adds-offline-access", nil, nil, 1, flags),
                    shared_auth_glue_string("issuer-template", flags),
                ]
            )
            unsafe installRedirects(in: klass)
        },
        instanceFunction: { instance, _ in unsafe install(OpenIDProviderCore(), in: instance) }
    )
}

/// Returns the GType of `SharedAuthOpenIDProvider`.
@c @implementation
public func shared_auth_openid_provider_get_type() -> GType { OpenIDProviderCore.openIDType }

/// Creates an identity provider for an OpenID provider.
@c @implementation
public func shared_auth_openid_provider_new(
    _ issuer: CText?,
    _ client_id: CText?
) -> OpenIDProviderPointer? {
    guard let issuer = unsafe text(issuer, "issuer", #function),
        let clientID = unsafe text(client_id, "client_id", #function)
    else { return nil }
    return unsafe makeObject(OpenIDProviderCore.openIDType, texts: [("issuer", issuer), ("client-id", clientID)])?
        .assumingMemoryBound(to: SharedAuthOpenIDProvider.self)
}

/// Returns a copy of the issuer URL.
@c @implementation
public func shared_auth_openid_provider_dup_issuer(_ provider: OpenIDProviderPointer?) -> OwnedText? {
    unsafe openIDCore(provider, #function)?.text(of: OpenIDProviderCore.Property.issuer)
}

/// Returns a copy of the client id.
@c @implementation
public func shared_auth_openid_provider_dup_client_id(_ provider: OpenIDProviderPointer?) -> OwnedText? {
    unsafe openIDCore(provider, #function)?.text(of: OpenIDProviderCore.Property.clientID)
}

/// Returns a copy of the client secret.
@c @implementation
public func shared_auth_openid_provider_dup_client_secret(_ provider: OpenIDProviderPointer?) -> OwnedText? {
    unsafe openIDCore(provider, #function)?.text(of: OpenIDProviderCore.Property.clientSecret)
}

/// Returns a copy of the scopes that a sign-in requests.
@c @implementation
public func shared_auth_openid_provider_dup_scopes(_ provider: OpenIDProviderPointer?) -> OwnedTexts? {
    unsafe openIDCore(provider, #function)?.texts(of: OpenIDProviderCore.Property.scopes)
}

/// Returns a copy of the path of the redirect URI.
@c @implementation
public func shared_auth_openid_provider_dup_redirect_path(_ provider: OpenIDProviderPointer?) -> OwnedText? {
    unsafe openIDCore(provider, #function)?.text(of: OpenIDProviderCore.RedirectProperty.path)
}

/// Returns the local port of the redirect URI.
@c @implementation
public func shared_auth_openid_provider_get_redirect_port(_ provider: OpenIDProviderPointer?) -> guint {
    unsafe openIDCore(provider, #function)?.number(of: OpenIDProviderCore.RedirectProperty.port) ?? 0
}

/// Returns a copy of the host name of the redirect URI.
@c @implementation
public func shared_auth_openid_provider_dup_redirect_host(_ provider: OpenIDProviderPointer?) -> OwnedText? {
    unsafe openIDCore(provider, #function)?.text(of: OpenIDProviderCore.RedirectProperty.host)
}

/// Returns a copy of the parameters to add to the requests of sign-ins.
@c @implementation
public func shared_auth_openid_provider_dup_parameters(_ provider: OpenIDProviderPointer?) -> OwnedTexts? {
    unsafe openIDCore(provider, #function)?.texts(of: OpenIDProviderCore.RedirectProperty.parameters)
}

/// Returns whether a sign-in adds the scope offline_access.
@c @implementation
public func shared_auth_openid_provider_get_adds_offline_access(_ provider: OpenIDProviderPointer?) -> gboolean {
    unsafe openIDCore(provider, #function)?.flag(of: OpenIDProviderCore.Property.addsOfflineAccess) ?? 0
}

/// Returns a copy of the issuers of all tenants.
@c @implementation
public func shared_auth_openid_provider_dup_issuer_template(_ provider: OpenIDProviderPointer?) -> OwnedText? {
    unsafe openIDCore(provider, #function)?.text(of: OpenIDProviderCore.Property.issuerTemplate)
}

/// Returns a copy of the redirect URI of sign-ins in the browser.
@c @implementation
public func shared_auth_openid_provider_dup_redirect_uri(_ provider: OpenIDProviderPointer?) -> OwnedText? {
    unsafe openIDCore(provider, #function)?.text(of: OpenIDProviderCore.RedirectProperty.uri)
}

/// Returns a copy of the title of the browser's last page.
@c @implementation
public func shared_auth_openid_provider_dup_page_title(_ provider: OpenIDProviderPointer?) -> OwnedText? {
    unsafe openIDCore(provider, #function)?.text(of: OpenIDProviderCore.RedirectProperty.pageTitle)
}

/// Returns a copy of the text of the browser's last page.
@c @implementation
public func shared_auth_openid_provider_dup_page_message(_ provider: OpenIDProviderPointer?) -> OwnedText? {
    unsafe openIDCore(provider, #function)?.text(of: OpenIDProviderCore.RedirectProperty.pageMessage)
}

/// Returns the core of an identity provider. For any other pointer, logs a critical and returns nil.
private func openIDCore(_ provider: OpenIDProviderPointer?, _ function: StaticString) -> OpenIDProviderCore? {
    let rule = "SHARED_AUTH_IS_OPENID_PROVIDER (provider)"
    guard unsafe isObject(provider, OpenIDProviderCore.openIDType, rule, function) else { return nil }
    return unsafe core(of: provider!)
}
