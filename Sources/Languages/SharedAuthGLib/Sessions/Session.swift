public import CSharedAuthGLib
internal import SharedAuth

extension SessionCore {
    enum Property: guint, CaseIterable {
        case appID = 1
        case teamID, appName, project, store, keyFile, accessGroups, ownUserPolicy, identityProvider
        case keepsOtherUsers, refreshesTokens, timeout, identityTimeout
        case state, user, accessGroup, accounts, error, saveError, userIssuer
    }

    static let type = unsafe registerClass(
        "SharedAuthSession",
        SharedAuthSessionClass.self,
        SharedAuthSession.self,
        classFunction: { klass, _ in
            unsafe prepareClass(klass, Property.allCases.map { unsafe $0.paramSpec })
            let type = unsafe klass!.assumingMemoryBound(to: GTypeClass.self).pointee.g_type
            unsafe shared_auth_glue_signal("announced", type, UserCore.type)
            unsafe shared_auth_glue_address_signal("open-address", type)
            unsafe shared_auth_glue_code_signal("device-code", type)
        },
        instanceFunction: { instance, _ in unsafe install(SessionCore(), in: instance) }
    )
}

extension SessionCore.Property {
    /// Creates the property's `GParamSpec`.
    fileprivate var paramSpec: UnsafeMutablePointer<GParamSpec>? {
        let (constructOnly, readable) = (shared_auth_glue_construct_only(), shared_auth_glue_readable())
        let constructOnlyNotified = shared_auth_glue_construct_only_notified()
        return switch self {
        case .appID: unsafe shared_auth_glue_string("app-id", constructOnly)
        case .teamID: unsafe shared_auth_glue_string("team-id", constructOnly)
        case .appName: unsafe shared_auth_glue_string("app-name", constructOnly)
        case .project: unsafe shared_auth_glue_string("project", constructOnly)
        case .store: unsafe g_param_spec_enum("store", nil, nil, shared_auth_store_get_type(), 0, constructOnly)
        case .keyFile: unsafe shared_auth_glue_string("key-file", constructOnly)
        case .accessGroups: unsafe shared_auth_glue_strings("access-groups", constructOnly)
        case .ownUserPolicy:
            unsafe g_param_spec_enum(
                "own-user-policy",
                nil,
                nil,
                shared_auth_own_user_policy_get_type(),
                0,
                constructOnly
            )
        case .identityProvider:
            unsafe g_param_spec_object("identity-provider", nil, nil, ProviderCore.type, constructOnly)
        case .keepsOtherUsers: unsafe g_param_spec_boolean("keeps-other-users", nil, nil, 0, constructOnly)
        case .refreshesTokens: unsafe g_param_spec_boolean("refreshes-tokens", nil, nil, 1, constructOnly)
        case .timeout: unsafe g_param_spec_uint("timeout", nil, nil, 1, 600_000, 5000, constructOnly)
        case .identityTimeout: unsafe g_param_spec_uint("identity-timeout", nil, nil, 1, 600_000, 40_000, constructOnly)
        case .state: unsafe g_param_spec_enum("state", nil, nil, shared_auth_state_get_type(), 0, readable)
        case .user: unsafe g_param_spec_object("user", nil, nil, UserCore.type, readable)
        case .accessGroup: unsafe shared_auth_glue_string("access-group", constructOnlyNotified)
        case .accounts: unsafe shared_auth_glue_model("accounts", readable)
        case .error: unsafe shared_auth_glue_error("error", readable)
        case .saveError: unsafe shared_auth_glue_error("save-error", readable)
        case .userIssuer: unsafe shared_auth_glue_string("user-issuer", readable)
        }
    }
}

extension SessionCore {
    /// Copies a property to `value`. Does not block.
    func readProperty(_ number: guint, into value: UnsafeMutablePointer<GValue>) {
        guard let property = Property(rawValue: number) else { return }
        switch property {
        case .appID: unsafe g_value_set_string(value, settings.appID)
        case .teamID: unsafe g_value_set_string(value, settings.teamID)
        case .appName: unsafe g_value_set_string(value, settings.appName)
        case .project: unsafe g_value_set_string(value, settings.project)
        case .store: unsafe g_value_set_enum(value, settings.usesEncryptedFiles ? 1 : 0)
        case .keyFile: unsafe g_value_set_string(value, settings.keyFile)
        case .accessGroups: unsafe value.setTexts(settings.accessGroups)
        case .ownUserPolicy: unsafe g_value_set_enum(value, settings.ownUserPolicy.number)
        case .identityProvider: unsafe g_value_set_object(value, settings.identityProvider?.pointer)
        case .keepsOtherUsers: unsafe g_value_set_boolean(value, settings.keepsOtherUsers ? 1 : 0)
        case .refreshesTokens: unsafe g_value_set_boolean(value, settings.refreshesTokens ? 1 : 0)
        case .timeout: unsafe g_value_set_uint(value, settings.timeout)
        case .identityTimeout: unsafe g_value_set_uint(value, settings.identityTimeout)
        case .state: unsafe g_value_set_enum(value, gint(view.state.number.rawValue))
        case .user: unsafe g_value_set_object(value, user?.pointer)
        case .accessGroup: unsafe g_value_set_string(value, accessGroup)
        case .accounts: unsafe g_value_set_object(value, UnsafeMutableRawPointer(accounts))
        case .error: unsafe g_value_take_boxed(value, view.failure?.asGError)
        case .saveError: unsafe g_value_take_boxed(value, view.saveFailure?.asGError)
        case .userIssuer: unsafe g_value_set_string(value, userIssuer)
        }
    }

    /// Stores a construct-only property from `value`.
    func storeProperty(_ number: guint, from value: UnsafePointer<GValue>) {
        switch Property(rawValue: number) {
        case .appID: settings.appID = unsafe value.text
        case .teamID: settings.teamID = unsafe value.text
        case .appName: settings.appName = unsafe value.text ?? AuthApp.defaultName
        case .project: settings.project = unsafe value.text ?? "default"
        case .store: settings.usesEncryptedFiles = unsafe g_value_get_enum(value) == 1
        case .keyFile: settings.keyFile = unsafe value.text
        case .accessGroups: settings.accessGroups = unsafe value.texts
        case .ownUserPolicy: settings.ownUserPolicy = unsafe OwnUserPolicy(g_value_get_enum(value))
        case .identityProvider:
            settings.identityProvider = unsafe g_value_get_object(value).map { unsafe ObjectReference($0, context) }
        case .keepsOtherUsers: settings.keepsOtherUsers = unsafe g_value_get_boolean(value) != 0
        case .refreshesTokens: settings.refreshesTokens = unsafe g_value_get_boolean(value) != 0
        case .timeout: settings.timeout = unsafe g_value_get_uint(value)
        case .identityTimeout: settings.identityTimeout = unsafe g_value_get_uint(value)
        case .accessGroup: settings.accessGroup = unsafe value.text
        case .state, .user, .accounts, .error, .saveError, .userIssuer, nil: break
        }
    }
}

/// Returns the GType of `SharedAuthSession`.
@c @implementation
public func shared_auth_session_get_type() -> GType { SessionCore.type }

/// Creates a session.
@c @implementation
public func shared_auth_session_new(
    _ app_id: CText?,
    _ identity_provider: IdentityProviderPointer?
) -> SessionPointer? {
    unsafe makeSession(app_id, in: nil, identity_provider, #function)
}

/// Creates a session that uses an access group.
@c @implementation
public func shared_auth_session_new_with_access_group(
    _ app_id: CText?,
    _ access_group: CText?,
    _ identity_provider: IdentityProviderPointer?
) -> SessionPointer? {
    unsafe makeSession(app_id, in: access_group, identity_provider, #function)
}

private func makeSession(
    _ app_id: CText?,
    in access_group: CText?,
    _ identity_provider: IdentityProviderPointer?,
    _ function: StaticString
) -> SessionPointer? {
    guard let appID = unsafe optionalText(app_id, "app_id", function),
        let accessGroup = unsafe optionalText(access_group, "access_group", function)
    else { return nil }
    if unsafe identity_provider != nil {
        let rule = "SHARED_AUTH_IS_IDENTITY_PROVIDER (identity_provider)"
        guard unsafe isObject(identity_provider, ProviderCore.type, rule, function) else { return nil }
    }
    return unsafe makeObject(
        SessionCore.type,
        texts: [("app-id", appID), ("access-group", accessGroup)],
        objects: [("identity-provider", UnsafeMutableRawPointer(identity_provider))]
    )?.assumingMemoryBound(to: SharedAuthSession.self)
}

/// Ends a session.
@c @implementation
public func shared_auth_session_close(_ session: SessionPointer?) { unsafe sessionCore(session, #function)?.close() }

/// Returns the state of the current user.
@c @implementation
public func shared_auth_session_get_state(_ session: SessionPointer?) -> SharedAuthState {
    unsafe sessionCore(session, #function)?.view.state.number ?? SHARED_AUTH_STATE_UNKNOWN
}

/// Returns the current user, with a reference that the caller owns.
@c @implementation
public func shared_auth_session_dup_user(_ session: SessionPointer?) -> UserPointer? {
    guard let user = unsafe sessionCore(session, #function)?.user else { return nil }
    return unsafe g_object_ref(user.pointer)?.assumingMemoryBound(to: SharedAuthUser.self)
}

/// Returns a copy of the issuer of the users who sign in with the identity provider.
@c @implementation
public func shared_auth_session_dup_user_issuer(_ session: SessionPointer?) -> OwnedText? {
    unsafe sessionCore(session, #function).flatMap { unsafe copy($0.userIssuer) }
}

/// Returns a copy of the name of the access group in use.
@c @implementation
public func shared_auth_session_dup_access_group(_ session: SessionPointer?) -> OwnedText? {
    unsafe sessionCore(session, #function).flatMap { unsafe copy($0.accessGroup) }
}

/// Returns the users of the slot in use, without a reference for the caller.
@c @implementation
public func shared_auth_session_get_accounts(_ session: SessionPointer?) -> OpaquePointer? {
    unsafe sessionCore(session, #function)?.accounts
}

/// Returns the reason why the current user is not known; the caller frees it.
@c @implementation
public func shared_auth_session_dup_error(_ session: SessionPointer?) -> UnsafeMutablePointer<GError>? {
    unsafe sessionCore(session, #function)?.view.failure?.asGError
}

/// Returns the error that keeps changes from being saved; the caller frees it.
@c @implementation
public func shared_auth_session_dup_save_error(_ session: SessionPointer?) -> UnsafeMutablePointer<GError>? {
    unsafe sessionCore(session, #function)?.view.saveFailure?.asGError
}

/// Returns the core of a session. For any other pointer, logs a critical and returns nil.
func sessionCore(_ session: SessionPointer?, _ function: StaticString) -> SessionCore? {
    guard unsafe isObject(session, SessionCore.type, "SHARED_AUTH_IS_SESSION (session)", function) else { return nil }
    return unsafe core(of: session!)
}
