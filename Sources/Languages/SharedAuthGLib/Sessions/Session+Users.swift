public import CSharedAuthGLib
internal import SharedAuth

/// Waits until the current user is known.
@c @implementation
public func shared_auth_session_load_async(
    _ session: SessionPointer?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let call = unsafe SessionCall(session, .load, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, auth async throws(AuthError) in
        switch await auth.ready() {
        case .signedIn(let user): return .object(session.object(of: user))
        case .signedOut: return .object(nil)
        case .unknown, .locked, .unavailable, .damaged: throw auth.failure ?? .stateUnknown
        }
    }
}

/// Returns the result of `load_async`.
@c @implementation
public func shared_auth_session_load_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> UserPointer? {
    unsafe CallResult(session, .load, result, #function).user(error)
}

/// Switches to an access group, or to the app's own slot.
@c @implementation
public func shared_auth_session_use_access_group_async(
    _ session: SessionPointer?,
    _ access_group: CText?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let accessGroup = unsafe optionalText(access_group, "access_group", #function),
        let call = unsafe SessionCall(session, .useAccessGroup, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, auth async throws(AuthError) in
        try await auth.useUserAccessGroup(accessGroup, timeout: session.timeout)
        return .done
    }
}

/// Returns the result of `use_access_group_async`.
@c @implementation
public func shared_auth_session_use_access_group_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    unsafe CallResult(session, .useAccessGroup, result, #function).flag(error)
}

/// Gets the user stored in an access group, or in the app's own slot, without switching to it.
@c @implementation
public func shared_auth_session_get_stored_user_async(
    _ session: SessionPointer?,
    _ access_group: CText?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let accessGroup = unsafe optionalText(access_group, "access_group", #function),
        let call = unsafe SessionCall(session, .getStoredUser, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, auth async throws(AuthError) in
        let user = try await auth.getStoredUser(forAccessGroup: accessGroup, timeout: session.timeout)
        return .object(user.map { UserCore.object(of: SessionView.ShownUser($0), session) })
    }
}

/// Returns the result of `get_stored_user_async`.
@c @implementation
public func shared_auth_session_get_stored_user_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> UserPointer? {
    unsafe CallResult(session, .getStoredUser, result, #function).user(error)
}

/// Makes a user current, and stores the user in the slot in use.
@c @implementation
public func shared_auth_session_update_current_user_async(
    _ session: SessionPointer?,
    _ user: UserPointer?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let user = unsafe userCore(user, #function),
        let call = unsafe SessionCall(session, .updateCurrentUser, cancellable, callback, user_data, #function)
    else { return }
    call.run { _, auth async throws(AuthError) in
        try await auth.updateCurrentUser(user.authUser)
        return .done
    }
}

/// Returns the result of `update_current_user_async`.
@c @implementation
public func shared_auth_session_update_current_user_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    unsafe CallResult(session, .updateCurrentUser, result, #function).flag(error)
}

/// Moves the current user to an access group, or to the app's own slot, and switches to it.
@c @implementation
public func shared_auth_session_migrate_async(
    _ session: SessionPointer?,
    _ access_group: CText?,
    _ policy: SharedAuthMigrationPolicy,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let accessGroup = unsafe optionalText(access_group, "access_group", #function),
        let policy = migrationPolicy(policy, #function),
        let call = unsafe SessionCall(session, .migrate, cancellable, callback, user_data, #function)
    else { return }
    call.run { _, auth async throws(AuthError) in
        try await auth.migrateCurrentUser(toAccessGroup: accessGroup, policy: policy)
        return .done
    }
}

/// Returns the result of `migrate_async`.
@c @implementation
public func shared_auth_session_migrate_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    unsafe CallResult(session, .migrate, result, #function).flag(error)
}

/// Makes another user of the slot in use current, in every app of the access group.
@c @implementation
public func shared_auth_session_switch_account_async(
    _ session: SessionPointer?,
    _ user: UserPointer?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let user = unsafe userCore(user, #function),
        let call = unsafe SessionCall(session, .switchAccount, cancellable, callback, user_data, #function)
    else { return }
    call.run { _, auth async throws(AuthError) in
        try await auth.switchCurrentUser(to: user.authUser)
        return .done
    }
}

/// Returns the result of `switch_account_async`.
@c @implementation
public func shared_auth_session_switch_account_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    unsafe CallResult(session, .switchAccount, result, #function).flag(error)
}

/// Gets a valid ID token of the current user: the present one, or a new one if the present one expires soon.
@c @implementation
public func shared_auth_session_get_id_token_async(
    _ session: SessionPointer?,
    _ force_refresh: gboolean,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let call = unsafe SessionCall(session, .getIdToken, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, _ async throws(AuthError) in
        .text(try await session.currentUser.getIDToken(forcingRefresh: force_refresh != 0))
    }
}

/// Returns the result of `get_id_token_async`.
@c @implementation
public func shared_auth_session_get_id_token_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> OwnedText? {
    unsafe CallResult(session, .getIdToken, result, #function).text(error)
}

/// Gets a valid access token of the current user.
@c @implementation
public func shared_auth_session_get_access_token_async(
    _ session: SessionPointer?,
    _ scopes: UnsafePointer<CText?>?,
    _ force_refresh: gboolean,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let call = unsafe SessionCall(session, .getAccessToken, cancellable, callback, user_data, #function)
    else { return }
    let scopes = unsafe texts(scopes)
    call.run { session, _ async throws(AuthError) in
        let scopes = try scopeSet(scopes, named: "The list of the token's scopes") ?? []
        let user = try await session.currentUser
        return .text(try await user.accessToken(forScopes: scopes, forcingRefresh: force_refresh != 0))
    }
}

/// Returns the result of `get_access_token_async`.
@c @implementation
public func shared_auth_session_get_access_token_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> OwnedText? {
    unsafe CallResult(session, .getAccessToken, result, #function).text(error)
}

/// Prompts the user to unlock the keyring.
@c @implementation
public func shared_auth_session_unlock_async(
    _ session: SessionPointer?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let call = unsafe SessionCall(session, .unlock, cancellable, callback, user_data, #function)
    else { return }
    call.run { _, auth async throws(AuthError) in
        try await auth.unlock()
        return .done
    }
}

/// Returns the result of `unlock_async`.
@c @implementation
public func shared_auth_session_unlock_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    unsafe CallResult(session, .unlock, result, #function).flag(error)
}

/// Fetches the current user's profile from the identity provider, and stores it for every app of the access group.
@c @implementation
public func shared_auth_session_reload_async(
    _ session: SessionPointer?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let call = unsafe SessionCall(session, .reload, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, _ async throws(AuthError) in
        try await session.currentUser.reload()
        return .done
    }
}

/// Returns the result of `reload_async`.
@c @implementation
public func shared_auth_session_reload_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    unsafe CallResult(session, .reload, result, #function).flag(error)
}

/// Deletes the current user's account at the identity provider, and signs the user out.
@c @implementation
public func shared_auth_session_delete_user_async(
    _ session: SessionPointer?,
    _ cancellable: CancellablePointer?,
    _ callback: GAsyncReadyCallback?,
    _ user_data: gpointer?
) {
    guard let call = unsafe SessionCall(session, .deleteUser, cancellable, callback, user_data, #function)
    else { return }
    call.run { session, _ async throws(AuthError) in
        try await session.currentUser.delete()
        return .done
    }
}

/// Returns the result of `delete_user_async`.
@c @implementation
public func shared_auth_session_delete_user_finish(
    _ session: SessionPointer?,
    _ result: OpaquePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    unsafe CallResult(session, .deleteUser, result, #function).flag(error)
}
