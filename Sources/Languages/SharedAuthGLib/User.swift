public import CSharedAuthGLib
internal import FoundationEssentials
internal import SharedAuth
internal import Synchronization

/// The core of a `SharedAuthUser`.
@safe final class UserCore: ObjectCore, @unchecked Sendable {
    private let state = Mutex(State())
    /// The uid as a C string, which is valid as long as the object.
    nonisolated(unsafe) private(set) var uid: OwnedText?

    private struct State {
        var user: SessionView.ShownUser?
        weak var session: SessionCore?
    }

    enum Property: guint, CaseIterable {
        case uid = 1
        case issuer, providerID, email, displayName, photoURI, phoneNumber, isAnonymous, isEmailVerified, sessionFailure

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
            case .sessionFailure: "session-failure"
            }
        }

        func specification(_ flags: GParamFlags) -> UnsafeMutablePointer<GParamSpec>? {
            let name = unsafe g_intern_string(name)!
            return switch self {
            case .isAnonymous, .isEmailVerified: unsafe g_param_spec_boolean(name, nil, nil, 0, flags)
            case .sessionFailure: unsafe shared_auth_glue_error(name, flags)
            default: unsafe shared_auth_glue_string(name, flags)
            }
        }

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
            case .sessionFailure: user.sessionFailure?.text
            }
        }
    }

    /// The user with the latest known profile; nil for an object that was not created by a session.
    var user: SessionView.ShownUser? { state.withLock { $0.user } }

    /// The session that created the object.
    ///
    /// - Throws: `nullUser` if none did; `appDeleted` if it has ended.
    var session: SessionCore {
        get throws(AuthError) {
            _ = try authUser
            guard let session = state.withLock({ $0.session }) else { throw .sessionClosed }
            return session
        }
    }

    /// Replaces the user with a newer version.
    ///
    /// - Returns: The names of the changed properties.
    func update(to user: SessionView.ShownUser) -> [String] {
        let previous = state.withLock { state in
            defer { state.user = user }
            return state.user
        }
        guard let previous else {
            // The object is new, so no other thread reads the uid yet.
            unsafe uid = copy(user.profile.uid)
            return []
        }
        return Property.allCases.filter { $0.text(of: previous) != $0.text(of: user) }.map(\.name)
    }

    override func finalized() { unsafe g_free(uid) }

    override func getProperty(_ property: guint, into value: UnsafeMutablePointer<GValue>) {
        guard let property = Property(rawValue: property) else { return }
        var text: String? { user.flatMap { property.text(of: $0) } }
        switch property {
        case .isAnonymous, .isEmailVerified: unsafe g_value_set_boolean(value, text == nil ? 0 : 1)
        case .sessionFailure: unsafe g_value_take_boxed(value, user?.sessionFailure?.asGError)
        default: unsafe g_value_set_string(value, text)
        }
    }

    static let type = unsafe registerClass(
        "SharedAuthUser",
        SharedAuthUserClass.self,
        SharedAuthUser.self,
        flags: G_TYPE_FLAG_FINAL,
        classFunction: { klass, _ in
            let flags = shared_auth_glue_readable()
            unsafe prepareClass(klass, Property.allCases.map { unsafe $0.specification(flags) })
        },
        instanceFunction: { instance, _ in unsafe install(UserCore(), in: instance) }
    )

    /// Creates an object for a user of a session.
    static func object(of user: SessionView.ShownUser, _ session: SessionCore) -> ObjectReference {
        let object = unsafe ObjectReference(taking: g_object_new_with_properties(type, 0, nil, nil)!, session.context)
        let core = unsafe core(of: object.pointer, as: UserCore.self)
        core.state.withLock { $0.session = session }
        _ = core.update(to: user)
        return object
    }
}

/// Returns the GType of `SharedAuthUser`.
@c @implementation
public func shared_auth_user_get_type() -> GType { UserCore.type }

/// Returns the user's id, which is valid as long as the object.
@c @implementation
public func shared_auth_user_get_uid(_ user: UserPointer?) -> CText? {
    guard let core = unsafe userCore(user, #function) else { return nil }
    return unsafe UnsafePointer(core.uid)
}

/// Returns a copy of the user's e-mail address.
@c @implementation
public func shared_auth_user_dup_email(_ user: UserPointer?) -> OwnedText? {
    unsafe userCore(user, #function).flatMap { unsafe copy($0.user?.profile.email) }
}

/// Returns a copy of the user's display name.
@c @implementation
public func shared_auth_user_dup_display_name(_ user: UserPointer?) -> OwnedText? {
    unsafe userCore(user, #function).flatMap { unsafe copy($0.user?.profile.displayName) }
}

/// Returns the core of a user. For any other pointer, logs a critical and returns nil.
func userCore(_ user: UserPointer?, _ function: StaticString) -> UserCore? {
    guard unsafe isObject(user, UserCore.type, "SHARED_AUTH_IS_USER (user)", function) else { return nil }
    return unsafe core(of: user!)
}
