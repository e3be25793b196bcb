public import CSharedAuthGLib

// The calls of a session that block their thread.

/// Waits until the current user is known.
@c @implementation
public func shared_auth_session_load_sync(
    _ session: SessionPointer?,
    _ cancellable: CancellablePointer?,
    _ error: ErrorReturn?
) -> UserPointer? {
    guard let core = unsafe sessionCore(session, #function) else { return nil }
    return unsafe BlockingCall.run(core) { done, data in
        unsafe shared_auth_session_load_async(session, cancellable, done, data)
    } _: { result in
        unsafe shared_auth_session_load_finish(session, result, error)
    }
}

/// Gets a valid ID token of the current user.
@c @implementation
public func shared_auth_session_get_id_token_sync(
    _ session: SessionPointer?,
    _ force_refresh: gboolean,
    _ cancellable: CancellablePointer?,
    _ error: ErrorReturn?
) -> OwnedText? {
    guard let core = unsafe sessionCore(session, #function) else { return nil }
    return unsafe BlockingCall.run(core) { done, data in
        unsafe shared_auth_session_get_id_token_async(session, force_refresh, cancellable, done, data)
    } _: { result in
        unsafe shared_auth_session_get_id_token_finish(session, result, error)
    }
}

/// Gets a valid access token of the current user.
@c @implementation
public func shared_auth_session_get_access_token_sync(
    _ session: SessionPointer?,
    _ scopes: UnsafePointer<CText?>?,
    _ force_refresh: gboolean,
    _ cancellable: CancellablePointer?,
    _ error: ErrorReturn?
) -> OwnedText? {
    guard let core = unsafe sessionCore(session, #function) else { return nil }
    return unsafe BlockingCall.run(core) { done, data in
        unsafe shared_auth_session_get_access_token_async(session, scopes, force_refresh, cancellable, done, data)
    } _: { result in
        unsafe shared_auth_session_get_access_token_finish(session, result, error)
    }
}

/// Signs the current user out, in every app of the access group.
@c @implementation
public func shared_auth_session_sign_out_sync(
    _ session: SessionPointer?,
    _ cancellable: CancellablePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    guard let core = unsafe sessionCore(session, #function) else { return 0 }
    return unsafe BlockingCall.run(core) { done, data in
        unsafe shared_auth_session_sign_out_async(session, cancellable, done, data)
    } _: { result in
        unsafe shared_auth_session_sign_out_finish(session, result, error)
    }
}

// The calls of a user that block their thread.

/// Gets a valid ID token of a user, who need not be the current one.
@c @implementation
public func shared_auth_user_get_id_token_sync(
    _ user: UserPointer?,
    _ force_refresh: gboolean,
    _ cancellable: CancellablePointer?,
    _ error: ErrorReturn?
) -> OwnedText? {
    guard let core = unsafe userCore(user, #function) else { return nil }
    return unsafe BlockingCall.run(try? core.session) { done, data in
        unsafe shared_auth_user_get_id_token_async(user, force_refresh, cancellable, done, data)
    } _: { result in
        unsafe shared_auth_user_get_id_token_finish(user, result, error)
    }
}

/// Gets a valid access token of a user, who need not be the current one.
@c @implementation
public func shared_auth_user_get_access_token_sync(
    _ user: UserPointer?,
    _ scopes: UnsafePointer<CText?>?,
    _ force_refresh: gboolean,
    _ cancellable: CancellablePointer?,
    _ error: ErrorReturn?
) -> OwnedText? {
    guard let core = unsafe userCore(user, #function) else { return nil }
    return unsafe BlockingCall.run(try? core.session) { done, data in
        unsafe shared_auth_user_get_access_token_async(user, scopes, force_refresh, cancellable, done, data)
    } _: { result in
        unsafe shared_auth_user_get_access_token_finish(user, result, error)
    }
}

/// Signs a user out of the slot in use, in every app of the access group.
@c @implementation
public func shared_auth_user_sign_out_sync(
    _ user: UserPointer?,
    _ cancellable: CancellablePointer?,
    _ error: ErrorReturn?
) -> gboolean {
    guard let core = unsafe userCore(user, #function) else { return 0 }
    return unsafe BlockingCall.run(try? core.session) { done, data in
        unsafe shared_auth_user_sign_out_async(user, cancellable, done, data)
    } _: { result in
        unsafe shared_auth_user_sign_out_finish(user, result, error)
    }
}
