public import CSharedAuthGLib
internal import SharedAuth

/// Signs in anonymously.
@c @implementation
public func shared_auth_session_sign_in_anonymously_async(
    _ session: SessionPointer?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let call = unsafe SessionCall(session, .signInAnonymously, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, auth async throws(AuthError) in
        .object(session.object(of: try await auth.signInAnonymously().user))
    }
}

/// Returns the result of `sign_in_anonymously_async`.
@c @implementation
public func shared_auth_session_sign_in_anonymously_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> UserPointer? {
    unsafe CallResult(session, .signInAnonymously, result, #function).user(error)
}

/// Signs in with an e-mail address and a password.
@c @implementation
public func shared_auth_session_sign_in_with_password_async(
    _ session: SessionPointer?,
    _ email: CText?,
    _ password: CText?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let email = unsafe text(email, "email", #function),
        let password = unsafe text(password, "password", #function),
        let call = unsafe SessionCall(session, .signInWithPassword, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, auth async throws(AuthError) in
        .object(session.object(of: try await auth.signIn(withEmail: email, password: password).user))
    }
}

/// Returns the result of `sign_in_with_password_async`.
@c @implementation
public func shared_auth_session_sign_in_with_password_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> UserPointer? {
    unsafe CallResult(session, .signInWithPassword, result, #function).user(error)
}

/// Creates an account with an e-mail address and a password, and signs in.
@c @implementation
public func shared_auth_session_create_user_async(
    _ session: SessionPointer?,
    _ email: CText?,
    _ password: CText?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let email = unsafe text(email, "email", #function),
        let password = unsafe text(password, "password", #function),
        let call = unsafe SessionCall(session, .createUser, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, auth async throws(AuthError) in
        .object(session.object(of: try await auth.createUser(withEmail: email, password: password).user))
    }
}

/// Returns the result of `create_user_async`.
@c @implementation
public func shared_auth_session_create_user_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> UserPointer? {
    unsafe CallResult(session, .createUser, result, #function).user(error)
}

/// Lets the user sign in in the browser.
@c @implementation
public func shared_auth_session_sign_in_with_browser_async(
    _ session: SessionPointer?,
    _ provider_id: CText?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let providerID = unsafe optionalText(provider_id, "provider_id", #function),
        let call = unsafe SessionCall(session, .signInWithBrowser, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, auth async throws(AuthError) in
        let browserSignIn = try session.provider.browserSignIn(at: providerID, for: auth)
        return .object(session.object(of: try await auth.signIn(with: browserSignIn).user))
    }
}

/// Returns the result of `sign_in_with_browser_async`.
@c @implementation
public func shared_auth_session_sign_in_with_browser_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> UserPointer? {
    unsafe CallResult(session, .signInWithBrowser, result, #function).user(error)
}

/// Passes on the redirect of a running browser sign-in by hand.
@c @implementation
public func shared_auth_session_handle_redirect(
    _ session: SessionPointer?,
    _ address: CText?,
    _ error: ErrorReturn?
) -> gboolean {
    guard let core = unsafe sessionCore(session, #function), let address = unsafe text(address, "address", #function)
    else { return 0 }
    do throws(AuthError) {
        try core.provider.handle(redirect: address)
        return 1
    } catch let failure {
        unsafe g_propagate_error(error, failure.asGError)
        return 0
    }
}

/// Passes on a URI of the app's own scheme, with which the desktop has opened the app.
@c @implementation
public func shared_auth_session_handle_uri(
    _ session: SessionPointer?,
    _ uri: CText?,
    _ error: ErrorReturn?
) -> gboolean {
    guard let core = unsafe sessionCore(session, #function), let uri = unsafe text(uri, "uri", #function)
    else { return 0 }
    do throws(AuthError) {
        try core.provider.handle(uri: uri)
        return 1
    } catch let failure {
        unsafe g_propagate_error(error, failure.asGError)
        return 0
    }
}

/// Lets the user sign in with a code, in a browser on any device.
@c @implementation
public func shared_auth_session_sign_in_with_device_code_async(
    _ session: SessionPointer?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let call = unsafe SessionCall(session, .signInWithDeviceCode, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, auth async throws(AuthError) in
        let deviceSignIn = try session.provider.deviceSignIn { code in session.emitDeviceCode(code) }
        return .object(session.object(of: try await auth.signIn(with: deviceSignIn).user))
    }
}

/// Returns the result of `sign_in_with_device_code_async`.
@c @implementation
public func shared_auth_session_sign_in_with_device_code_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> UserPointer? {
    unsafe CallResult(session, .signInWithDeviceCode, result, #function).user(error)
}

/// Signs in a user with tokens that the app has obtained itself, such as from its own server.
@c @implementation
public func shared_auth_session_sign_in_with_tokens_async(
    _ session: SessionPointer?,
    _ uid: CText?,
    _ id_token: CText?,
    _ refresh_token: CText?,
    _ expires_at: gint64,
    _ issuer: CText?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let uid = unsafe text(uid, "uid", #function),
        let idToken = unsafe optionalText(id_token, "id_token", #function),
        let refreshToken = unsafe optionalText(refresh_token, "refresh_token", #function),
        let issuer = unsafe optionalText(issuer, "issuer", #function),
        let call = unsafe SessionCall(session, .signInWithTokens, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, auth async throws(AuthError) in
        let tokens = UserTokens(idToken: idToken, refreshToken: refreshToken, expirationDate: date(expires_at))
        let user = try await auth.signIn(as: UserProfile(uid: uid), with: tokens, issuedBy: issuer)
        return .object(session.object(of: user))
    }
}

/// Returns the result of `sign_in_with_tokens_async`.
@c @implementation
public func shared_auth_session_sign_in_with_tokens_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> UserPointer? {
    unsafe CallResult(session, .signInWithTokens, result, #function).user(error)
}

/// Signs the current user out, in every app of the access group.
@c @implementation
public func shared_auth_session_sign_out_async(
    _ session: SessionPointer?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let call = unsafe SessionCall(session, .signOut, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, auth async throws(AuthError) in
        try await auth.signOut(timeout: session.timeout)
        return .done
    }
}

/// Returns the result of `sign_out_async`.
@c @implementation
public func shared_auth_session_sign_out_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    unsafe CallResult(session, .signOut, result, #function).flag(error)
}

/// Adds an e-mail address and a password to the current user's account, as a sign-in method.
@c @implementation
public func shared_auth_session_link_with_password_async(
    _ session: SessionPointer?,
    _ email: CText?,
    _ password: CText?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let email = unsafe text(email, "email", #function),
        let password = unsafe text(password, "password", #function),
        let call = unsafe SessionCall(session, .linkWithPassword, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, _ async throws(AuthError) in
        let credential = EmailAuthProvider.credential(withEmail: email, password: password)
        return .object(session.object(of: try await session.currentUser.link(with: credential).user))
    }
}

/// Returns the result of `link_with_password_async`.
@c @implementation
public func shared_auth_session_link_with_password_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> UserPointer? {
    unsafe CallResult(session, .linkWithPassword, result, #function).user(error)
}
