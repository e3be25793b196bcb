public import CSharedAuthGLib
internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// What a `SharedAuth.User` shows.
@safe final class UserCore: ObjectCore, @unchecked Sendable {
    private let shown = Mutex<SessionView.ShownUser?>(nil)
    /// The uid as C has it, which stays with the object.
    nonisolated(unsafe) private(set) var uid: UnsafeMutablePointer<CChar>?

    private enum Property: guint, CaseIterable {
        case uid = 1
        case issuer, providerID, email, displayName, photoURI, phoneNumber, isAnonymous, isEmailVerified

        var name: String {
            switch self {
            case .uid: "uid"
            case .issuer: "issuer"
            case .providerID: "provider-id"
            case .email: "email"
            case .displayName: "display-name"
            case .photoURI: "photo-uri"
            case .phoneNumber: "phone-number"
            case .isAnonymous: "is-anonymous"
            case .isEmailVerified: "is-email-verified"
            }
        }

        var isTruth: Bool { self == .isAnonymous || self == .isEmailVerified }

        func text(of user: SessionView.ShownUser) -> String? {
            switch self {
            case .uid: user.profile.uid
            case .issuer: user.id.issuer
            case .providerID: user.profile.providerData.first?.providerID ?? user.user.providerID
            case .email: user.profile.email
            case .displayName: user.profile.displayName
            case .photoURI: user.profile.photoURL?.absoluteString
            case .phoneNumber: user.profile.phoneNumber
            case .isAnonymous: user.profile.isAnonymous ? "true" : nil
            case .isEmailVerified: user.profile.isEmailVerified ? "true" : nil
            }
        }
    }

    /// The user, and who that was when it was last heard of; nil for an object that no session made.
    var user: SessionView.ShownUser? { shown.withLock { $0 } }

    /// Shows the user as it is now.
    ///
    /// - Returns: the properties that have changed.
    func show(_ user: SessionView.ShownUser) -> [String] {
        let former = shown.withLock { shown in
            defer { shown = user }
            return shown
        }
        guard let former else {
            // Nobody else has the object yet.
            unsafe uid = copy(user.profile.uid)
            return []
        }
        return Property.allCases.filter { $0.text(of: former) != $0.text(of: user) }.map(\.name)
    }

    override func isFinalized() { unsafe g_free(uid) }

    override func get(_ property: guint, into value: UnsafeMutablePointer<GValue>) {
        guard let property = Property(rawValue: property) else { return }
        let text = user.flatMap { property.text(of: $0) }
        if property.isTruth {
            unsafe g_value_set_boolean(value, text == nil ? 0 : 1)
        } else {
            unsafe g_value_set_string(value, text)
        }
    }

    static let type = unsafe registerClass(
        "SharedAuthUser",
        SharedAuthUserClass.self,
        SharedAuthUser.self,
        classFunction: { klass, _ in
            let flags = shared_auth_glue_readable()
            unsafe prepareClass(
                klass,
                Property.allCases.map { property in
                    property.isTruth
                        ? unsafe g_param_spec_boolean(g_intern_string(property.name), nil, nil, 0, flags)
                        : unsafe shared_auth_glue_string(g_intern_string(property.name), flags)
                }
            )
        },
        instanceFunction: { instance, _ in unsafe install(UserCore(), in: instance) }
    )

    /// Makes the object of a user.
    static func object(of user: SessionView.ShownUser, _ context: ContextReference) -> ObjectReference {
        let object = unsafe ObjectReference(taking: g_object_new_with_properties(type, 0, nil, nil)!, context)
        _ = unsafe core(of: object.pointer, as: UserCore.self).show(user)
        return object
    }
}

/// Returns the type of users.
@c @implementation
public func shared_auth_user_get_type() -> GType { UserCore.type }

/// Returns a user's id, in memory that stays.
@c @implementation
public func shared_auth_user_get_uid(_ user: UnsafeMutablePointer<SharedAuthUser>?) -> UnsafePointer<CChar>? {
    guard let core = unsafe userCore(user, #function) else { return nil }
    return unsafe UnsafePointer(core.uid)
}

/// Returns a user's address.
@c @implementation
public func shared_auth_user_dup_email(_ user: UnsafeMutablePointer<SharedAuthUser>?) -> UnsafeMutablePointer<CChar>? {
    unsafe userCore(user, #function).flatMap { unsafe copy($0.user?.profile.email) }
}

/// Returns a user's name.
@c @implementation
public func shared_auth_user_dup_display_name(
    _ user: UnsafeMutablePointer<SharedAuthUser>?
) -> UnsafeMutablePointer<CChar>? {
    unsafe userCore(user, #function).flatMap { unsafe copy($0.user?.profile.displayName) }
}

/// The core of a user; nil, and a critical, for anything else.
func userCore(_ user: UnsafeMutablePointer<SharedAuthUser>?, _ function: StaticString) -> UserCore? {
    guard unsafe isObject(user, UserCore.type, "SHARED_AUTH_IS_USER (user)", function) else { return nil }
    return unsafe core(of: user!)
}
