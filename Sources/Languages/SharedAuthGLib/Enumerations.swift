public import CSharedAuthGLib
internal import SharedAuth

/// Registers an enumeration whose members are numbered from 0.
private func registerEnumeration(_ name: String, _ prefix: String, _ members: [String]) -> GType {
    let values = UnsafeMutablePointer<GEnumValue>.allocate(capacity: members.count + 1)
    for (number, member) in members.enumerated() {
        let name = "\(prefix)_\(member.uppercased().replacing("-", with: "_"))"
        unsafe values[number] = GEnumValue(
            value: gint(number),
            value_name: g_intern_string(name),
            value_nick: g_intern_string(member)
        )
    }
    unsafe values[members.count] = GEnumValue(value: 0, value_name: nil, value_nick: nil)
    // GLib keeps a pointer to the values, so they are never deallocated.
    return unsafe g_enum_register_static(name, values)
}

private let stateType = registerEnumeration(
    "SharedAuthState",
    "SHARED_AUTH_STATE",
    ["unknown", "signed-in", "signed-out", "locked", "unavailable", "damaged"]
)

/// Returns the GType of `SharedAuthState`.
@c @implementation
public func shared_auth_state_get_type() -> GType { stateType }

private let storeType = registerEnumeration("SharedAuthStore", "SHARED_AUTH_STORE", ["keyring", "encrypted-files"])

/// Returns the GType of `SharedAuthStore`.
@c @implementation
public func shared_auth_store_get_type() -> GType { storeType }

private let ownUserPolicyType = registerEnumeration(
    "SharedAuthOwnUserPolicy",
    "SHARED_AUTH_OWN_USER_POLICY",
    ["clear", "keep", "migrate"]
)

/// Returns the GType of `SharedAuthOwnUserPolicy`.
@c @implementation
public func shared_auth_own_user_policy_get_type() -> GType { ownUserPolicyType }

private let policyType = registerEnumeration(
    "SharedAuthMigrationPolicy",
    "SHARED_AUTH_MIGRATION_POLICY",
    ["fail", "replace", "add", "skip", "join"]
)

/// Returns the GType of `SharedAuthMigrationPolicy`.
@c @implementation
public func shared_auth_migration_policy_get_type() -> GType { policyType }

private let kindType = registerEnumeration(
    "SharedAuthRequestKind",
    "SHARED_AUTH_REQUEST_KIND",
    ["anonymous", "password", "new-account", "refresh", "profile", "revoke"]
)

/// Returns the GType of `SharedAuthRequestKind`.
@c @implementation
public func shared_auth_request_kind_get_type() -> GType { kindType }

extension AuthState {
    /// The C value of the state.
    var number: SharedAuthState {
        switch self {
        case .unknown: SHARED_AUTH_STATE_UNKNOWN
        case .signedIn: SHARED_AUTH_STATE_SIGNED_IN
        case .signedOut: SHARED_AUTH_STATE_SIGNED_OUT
        case .locked: SHARED_AUTH_STATE_LOCKED
        case .unavailable: SHARED_AUTH_STATE_UNAVAILABLE
        case .damaged: SHARED_AUTH_STATE_DAMAGED
        }
    }
}

extension OwnUserPolicy {
    /// Creates the policy with a value of its property, which is a member of the enumeration.
    init(_ number: gint) { self = Self.allCases[Int(number)] }

    /// The value of the property.
    var number: gint { gint(Self.allCases.firstIndex(of: self) ?? 0) }
}

extension MigrationPolicy {
    /// Creates the policy with a C value; nil for an unknown value.
    init?(_ number: SharedAuthMigrationPolicy) {
        switch number {
        case SHARED_AUTH_MIGRATION_POLICY_FAIL: self = .fail
        case SHARED_AUTH_MIGRATION_POLICY_REPLACE: self = .replace
        case SHARED_AUTH_MIGRATION_POLICY_ADD: self = .add
        case SHARED_AUTH_MIGRATION_POLICY_SKIP: self = .skip
        case SHARED_AUTH_MIGRATION_POLICY_JOIN: self = .join
        default: return nil
        }
    }
}
