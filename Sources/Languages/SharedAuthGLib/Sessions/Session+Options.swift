public import CSharedAuthGLib

// The properties of a session that are set when it is created.

/// Returns a copy of the app id.
@c @implementation
public func shared_auth_session_dup_app_id(_ session: SessionPointer?) -> OwnedText? {
    unsafe sessionCore(session, #function)?.text(of: SessionCore.Property.appID)
}

/// Returns a copy of the team id.
@c @implementation
public func shared_auth_session_dup_team_id(_ session: SessionPointer?) -> OwnedText? {
    unsafe sessionCore(session, #function)?.text(of: SessionCore.Property.teamID)
}

/// Returns a copy of the name that distinguishes independent sessions of the app.
@c @implementation
public func shared_auth_session_dup_app_name(_ session: SessionPointer?) -> OwnedText? {
    unsafe sessionCore(session, #function)?.text(of: SessionCore.Property.appName)
}

/// Returns a copy of the project.
@c @implementation
public func shared_auth_session_dup_project(_ session: SessionPointer?) -> OwnedText? {
    unsafe sessionCore(session, #function)?.text(of: SessionCore.Property.project)
}

/// Returns the store of the users.
@c @implementation
public func shared_auth_session_get_store(_ session: SessionPointer?) -> SharedAuthStore {
    let core = unsafe sessionCore(session, #function)
    return SharedAuthStore(core?.choice(of: SessionCore.Property.store, shared_auth_store_get_type()) ?? 0)
}

/// Returns a copy of the path of the file that contains the key of the encrypted files.
@c @implementation
public func shared_auth_session_dup_key_file(_ session: SessionPointer?) -> OwnedText? {
    unsafe sessionCore(session, #function)?.text(of: SessionCore.Property.keyFile)
}

/// Returns a copy of the access groups that the app declares.
@c @implementation
public func shared_auth_session_dup_access_groups(_ session: SessionPointer?) -> OwnedTexts? {
    unsafe sessionCore(session, #function)?.texts(of: SessionCore.Property.accessGroups)
}

/// Returns the policy for a user in the app's own slot.
@c @implementation
public func shared_auth_session_get_own_user_policy(_ session: SessionPointer?) -> SharedAuthOwnUserPolicy {
    let (core, type) = (unsafe sessionCore(session, #function), shared_auth_own_user_policy_get_type())
    return SharedAuthOwnUserPolicy(core?.choice(of: SessionCore.Property.ownUserPolicy, type) ?? 0)
}

/// Returns the identity provider, with a reference that the caller owns.
@c @implementation
public func shared_auth_session_dup_identity_provider(_ session: SessionPointer?) -> IdentityProviderPointer? {
    let provider = unsafe sessionCore(session, #function)?.object(of: SessionCore.Property.identityProvider)
    return unsafe provider?.assumingMemoryBound(to: SharedAuthIdentityProvider.self)
}

/// Returns whether a sign-in keeps the users who are already signed in.
@c @implementation
public func shared_auth_session_get_keeps_other_users(_ session: SessionPointer?) -> gboolean {
    unsafe sessionCore(session, #function)?.flag(of: SessionCore.Property.keepsOtherUsers) ?? 0
}

/// Returns whether the current user's ID token is refreshed before it expires.
@c @implementation
public func shared_auth_session_get_refreshes_tokens(_ session: SessionPointer?) -> gboolean {
    unsafe sessionCore(session, #function)?.flag(of: SessionCore.Property.refreshesTokens) ?? 0
}

/// Returns the time limit of a call for the keyring, in milliseconds.
@c @implementation
public func shared_auth_session_get_timeout(_ session: SessionPointer?) -> guint {
    unsafe sessionCore(session, #function)?.number(of: SessionCore.Property.timeout) ?? 0
}

/// Returns the time limit of a call for the identity provider, in milliseconds.
@c @implementation
public func shared_auth_session_get_identity_timeout(_ session: SessionPointer?) -> guint {
    unsafe sessionCore(session, #function)?.number(of: SessionCore.Property.identityTimeout) ?? 0
}
