public import CSharedAuthGLib
internal import SharedAuth

// The calls of a user. None of them makes another user current.

/// Gets a valid ID token of a user, who need not be the current one.
@c @implementation
public func shared_auth_user_get_id_token_async(
    _ user: UserPointer?,
    _ force_refresh: gboolean,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let core = unsafe userCore(user, #function),
        let call = unsafe SessionCall(of: user, .getIdToken, cancellable, callback, user_data, #function)
    else { return }
    call.run { _, _ async throws(AuthError) in
        .text(try await core.authUser.getIDToken(forcingRefresh: force_refresh != 0))
    }
}

/// Returns the result of `get_id_token_async`.
@c @implementation
public func shared_auth_user_get_id_token_finish(
    _ user: UserPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> OwnedText? {
    unsafe CallResult(user, .getIdToken, result, #function).text(error)
}

/// Gets a valid access token of a user, who need not be the current one.
@c @implementation
public func shared_auth_user_get_access_token_async(
    _ user: UserPointer?,
    _ scopes: UnsafePointer<CText?>?,
    _ force_refresh: gboolean,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let core = unsafe userCore(user, #function),
        let call = unsafe SessionCall(of: user, .getAccessToken, cancellable, callback, user_data, #function)
    else { return }
    let scopes = unsafe texts(scopes)
    call.run { _, _ async throws(AuthError) in
        let scopes = try scopeSet(scopes, named: "The list of the token's scopes") ?? []
        return .text(try await core.authUser.accessToken(forScopes: scopes, forcingRefresh: force_refresh != 0))
    }
}

/// Returns the result of `get_access_token_async`.
@c @implementation
public func shared_auth_user_get_access_token_finish(
    _ user: UserPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> OwnedText? {
    unsafe CallResult(user, .getAccessToken, result, #function).text(error)
}

/// Fetches a user's profile from the identity provider, and stores it for every app of the access group.
@c @implementation
public func shared_auth_user_reload_async(
    _ user: UserPointer?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let core = unsafe userCore(user, #function),
        let call = unsafe SessionCall(of: user, .reload, cancellable, callback, user_data, #function)
    else { return }
    call.run { _, _ async throws(AuthError) in
        try await core.authUser.reload()
        return .done
    }
}

/// Returns the result of `reload_async`.
@c @implementation
public func shared_auth_user_reload_finish(
    _ user: UserPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    unsafe CallResult(user, .reload, result, #function).flag(error)
}

/// Signs a user out of the slot in use, in every app of the access group.
@c @implementation
public func shared_auth_user_sign_out_async(
    _ user: UserPointer?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let core = unsafe userCore(user, #function),
        let call = unsafe SessionCall(of: user, .signOut, cancellable, callback, user_data, #function)
    else { return }
    call.run { _, auth async throws(AuthError) in
        try await auth.signOut(core.authUser)
        return .done
    }
}

/// Returns the result of `sign_out_async`.
@c @implementation
public func shared_auth_user_sign_out_finish(
    _ user: UserPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    unsafe CallResult(user, .signOut, result, #function).flag(error)
}

/// Deletes a user's account at the identity provider, and signs the user out.
@c @implementation
public func shared_auth_user_delete_account_async(
    _ user: UserPointer?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let core = unsafe userCore(user, #function),
        let call = unsafe SessionCall(of: user, .deleteUser, cancellable, callback, user_data, #function)
    else { return }
    call.run { _, _ async throws(AuthError) in
        try await core.authUser.delete()
        return .done
    }
}

/// Returns the result of `delete_account_async`.
@c @implementation
public func shared_auth_user_delete_account_finish(
    _ user: UserPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    unsafe CallResult(user, .deleteUser, result, #function).flag(error)
}

/// Adds an e-mail address and a password to a user's account, as a sign-in method.
@c @implementation
public func shared_auth_user_link_with_password_async(
    _ user: UserPointer?,
    _ email: CText?,
    _ password: CText?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let core = unsafe userCore(user, #function),
        let email = unsafe text(email, "email", #function),
        let password = unsafe text(password, "password", #function),
        let call = unsafe SessionCall(of: user, .linkWithPassword, cancellable, callback, user_data, #function)
    else { return }
    call.run { _, _ async throws(AuthError) in
        let credential = EmailAuthProvider.credential(withEmail: email, password: password)
        try await core.authUser.link(with: credential)
        return .done
    }
}

/// Returns the result of `link_with_password_async`.
@c @implementation
public func shared_auth_user_link_with_password_finish(
    _ user: UserPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    unsafe CallResult(user, .linkWithPassword, result, #function).flag(error)
}
