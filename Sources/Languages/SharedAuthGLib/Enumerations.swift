public import CSharedAuthGLib
internal import SharedAuth

/// Registers an enumeration; its members have the numbers from 0 on.
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
    // GLib keeps the values for good.
    return unsafe g_enum_register_static(name, values)
}

private let stateType = registerEnumeration(
    "SharedAuthState",
    "SHARED_AUTH_STATE",
    ["unknown", "signed-in", "signed-out", "locked", "unavailable", "damaged"]
)

/// Returns the type of states.
@c @implementation
public func shared_auth_state_get_type() -> GType { stateType }

private let storeType = registerEnumeration("SharedAuthStore", "SHARED_AUTH_STORE", ["keyring", "encrypted-files"])

/// Returns the type of stores.
@c @implementation
public func shared_auth_store_get_type() -> GType { storeType }

private let policyType = registerEnumeration(
    "SharedAuthMigrationPolicy",
    "SHARED_AUTH_MIGRATION_POLICY",
    ["fail", "replace", "add", "skip", "join"]
)

/// Returns the type of migration policies.
@c @implementation
public func shared_auth_migration_policy_get_type() -> GType { policyType }

private let kindType = registerEnumeration(
    "SharedAuthRequestKind",
    "SHARED_AUTH_REQUEST_KIND",
    ["anonymous", "password", "new-account", "refresh", "profile", "revoke"]
)

/// Returns the type of kinds of requests.
@c @implementation
public func shared_auth_request_kind_get_type() -> GType { kindType }

extension AuthState {
    /// The state as GLib has it.
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

extension MigrationPolicy {
    /// The policy that GLib has as a number; nil for another number.
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
