public import CSharedAuthGLib

// The properties of an OAuth provider.

/// Returns a copy of the issuer URL.
@c @implementation
public func shared_auth_oauth_provider_dup_issuer(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.issuer)
}

/// Returns a copy of the URL of the sign-in page.
@c @implementation
public func shared_auth_oauth_provider_dup_authorization_endpoint(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.authorizationEndpoint)
}

/// Returns a copy of the URL that exchanges codes for tokens.
@c @implementation
public func shared_auth_oauth_provider_dup_token_endpoint(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.tokenEndpoint)
}

/// Returns a copy of the URL that issues device codes.
@c @implementation
public func shared_auth_oauth_provider_dup_device_endpoint(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.deviceEndpoint)
}

/// Returns a copy of the URL that ends sessions.
@c @implementation
public func shared_auth_oauth_provider_dup_revocation_endpoint(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.revocationEndpoint)
}

/// Returns a copy of the URL at which apps register.
@c @implementation
public func shared_auth_oauth_provider_dup_registration_endpoint(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.registrationEndpoint)
}

/// Returns a copy of the URL that describes the user.
@c @implementation
public func shared_auth_oauth_provider_dup_user_endpoint(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.userEndpoint)
}

/// Returns a copy of the member that has the user's id.
@c @implementation
public func shared_auth_oauth_provider_dup_uid_member(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.uidMember)
}

/// Returns a copy of the URL that describes a token.
@c @implementation
public func shared_auth_oauth_provider_dup_introspection_endpoint(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.introspectionEndpoint)
}

/// Returns a copy of the client id.
@c @implementation
public func shared_auth_oauth_provider_dup_client_id(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.clientID)
}

/// Returns a copy of the client secret.
@c @implementation
public func shared_auth_oauth_provider_dup_client_secret(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.clientSecret)
}

/// Returns a copy of the name with which the app registers.
@c @implementation
public func shared_auth_oauth_provider_dup_client_name(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.clientName)
}

/// Returns a copy of the token that allows to register.
@c @implementation
public func shared_auth_oauth_provider_dup_registration_token(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.Property.registrationToken)
}

/// Returns a copy of the scopes that a sign-in requests.
@c @implementation
public func shared_auth_oauth_provider_dup_scopes(_ provider: OAuthProviderPointer?) -> OwnedTexts? {
    unsafe oauthCore(provider, #function)?.texts(of: OAuthProviderCore.Property.scopes)
}

/// Returns a copy of the resource servers that access tokens are for.
@c @implementation
public func shared_auth_oauth_provider_dup_resources(_ provider: OAuthProviderPointer?) -> OwnedTexts? {
    unsafe oauthCore(provider, #function)?.texts(of: OAuthProviderCore.Property.resources)
}

/// Returns a copy of the path of the redirect URI.
@c @implementation
public func shared_auth_oauth_provider_dup_redirect_path(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.RedirectProperty.path)
}

/// Returns the local port of the redirect URI.
@c @implementation
public func shared_auth_oauth_provider_get_redirect_port(_ provider: OAuthProviderPointer?) -> guint {
    unsafe oauthCore(provider, #function)?.number(of: OAuthProviderCore.RedirectProperty.port) ?? 0
}

/// Returns a copy of the host name of the redirect URI.
@c @implementation
public func shared_auth_oauth_provider_dup_redirect_host(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.RedirectProperty.host)
}

/// Returns a copy of the parameters to add to the requests of sign-ins.
@c @implementation
public func shared_auth_oauth_provider_dup_parameters(_ provider: OAuthProviderPointer?) -> OwnedTexts? {
    unsafe oauthCore(provider, #function)?.texts(of: OAuthProviderCore.RedirectProperty.parameters)
}

/// Returns a copy of the redirect URI of sign-ins in the browser.
@c @implementation
public func shared_auth_oauth_provider_dup_redirect_uri(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.RedirectProperty.uri)
}

/// Returns a copy of the title of the browser's last page.
@c @implementation
public func shared_auth_oauth_provider_dup_page_title(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.RedirectProperty.pageTitle)
}

/// Returns a copy of the text of the browser's last page.
@c @implementation
public func shared_auth_oauth_provider_dup_page_message(_ provider: OAuthProviderPointer?) -> OwnedText? {
    unsafe oauthCore(provider, #function)?.text(of: OAuthProviderCore.RedirectProperty.pageMessage)
}

/// Returns the core of an identity provider. For any other pointer, logs a critical and returns nil.
private func oauthCore(_ provider: OAuthProviderPointer?, _ function: StaticString) -> OAuthProviderCore? {
    let rule = "SHARED_AUTH_IS_OAUTH_PROVIDER (provider)"
    guard unsafe isObject(provider, OAuthProviderCore.oauthType, rule, function) else { return nil }
    return unsafe core(of: provider!)
}
