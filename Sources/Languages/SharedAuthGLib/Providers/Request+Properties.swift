public import CSharedAuthGLib

// The properties of a request.

/// Returns the kind of the request.
@c @implementation
public func shared_auth_request_get_kind(_ request: RequestPointer?) -> SharedAuthRequestKind {
    let (core, type) = (unsafe requestCore(request, #function), shared_auth_request_kind_get_type())
    return SharedAuthRequestKind(core?.choice(of: RequestCore.Property.kind, type) ?? 0)
}

/// Returns a copy of the e-mail address.
@c @implementation
public func shared_auth_request_dup_email(_ request: RequestPointer?) -> OwnedText? {
    unsafe requestCore(request, #function)?.text(of: RequestCore.Property.email)
}

/// Returns a copy of the password.
@c @implementation
public func shared_auth_request_dup_password(_ request: RequestPointer?) -> OwnedText? {
    unsafe requestCore(request, #function)?.text(of: RequestCore.Property.password)
}

/// Returns a copy of the present ID token.
@c @implementation
public func shared_auth_request_dup_id_token(_ request: RequestPointer?) -> OwnedText? {
    unsafe requestCore(request, #function)?.text(of: RequestCore.Property.idToken)
}

/// Returns a copy of the present refresh token.
@c @implementation
public func shared_auth_request_dup_refresh_token(_ request: RequestPointer?) -> OwnedText? {
    unsafe requestCore(request, #function)?.text(of: RequestCore.Property.refreshToken)
}

/// Returns a copy of the scopes for which a refresh needs an access token.
@c @implementation
public func shared_auth_request_dup_scopes(_ request: RequestPointer?) -> OwnedTexts? {
    unsafe requestCore(request, #function)?.texts(of: RequestCore.Property.scopes)
}

/// Returns the object that is cancelled if the call is cancelled, with a reference that the caller owns.
@c @implementation
public func shared_auth_request_dup_cancellable(_ request: RequestPointer?) -> CancellablePointer? {
    let cancellable = unsafe requestCore(request, #function)?.object(of: RequestCore.Property.cancellable)
    return unsafe cancellable?.assumingMemoryBound(to: GCancellable.self)
}
