internal import CSharedAuthGLib
internal import SharedAuth

/// A call of a session that is on its way.
struct SessionCall {
    private let session: SessionCore
    private let call: PendingCall
    private let operation: Operation

    /// The async calls, by which finish functions know results.
    enum Operation: UInt {
        case load = 1
        case useAccessGroup
        case getStoredUser
        case updateCurrentUser
        case migrate
        case signInAnonymously
        case signInWithPassword
        case createUser
        case signInWithBrowser
        case signInWithDeviceCode
        case signInWithTokens
        case signOut
        case switchAccount
        case getIdToken
        case getAccessToken
        case unlock
        case reload
        case deleteUser
        case linkWithPassword

        /// Whether it changes nothing, so that nobody need wait for its end once it is cancelled.
        var isAbandonable: Bool {
            switch self {
            case .load, .getStoredUser, .getIdToken, .getAccessToken: true
            default: false
            }
        }
    }

    /// Nil, and a critical, if that is no session.
    init?(
        _ session: UnsafeMutablePointer<SharedAuthSession>?,
        _ operation: Operation,
        _ cancellable: UnsafeMutablePointer<GCancellable>?,
        _ callback: GAsyncReadyCallback?,
        _ data: gpointer?,
        _ function: StaticString
    ) {
        guard let core = unsafe sessionCore(session, function) else { return nil }
        self.session = core
        self.operation = operation
        call = unsafe PendingCall(of: session!, "\(operation)", tag: operation.rawValue, cancellable, callback, data)
    }

    /// Carries it out.
    func run(_ work: @escaping @Sendable (SessionCore, Auth) async throws(AuthError) -> PendingCall.Answer) {
        call.run(isAbandonable: operation.isAbandonable) { [session] () async throws(AuthError) in
            let auth = try session.engine.auth
            return try await SessionCore.$caller.withValue(session) {
                do throws(AuthError) {
                    return Result<_, AuthError>.success(try await work(session, auth))
                } catch {
                    return .failure(error)
                }
            }.get()
        }
    }
}

/// What a finish function is given.
@safe struct SessionResult {
    private let result: OpaquePointer?

    init(
        _ session: UnsafeMutablePointer<SharedAuthSession>?,
        _ operation: SessionCall.Operation,
        _ result: OpaquePointer?,
        _ function: StaticString
    ) {
        unsafe self.result = isResult(result, of: session, tag: operation.rawValue, function) ? result : nil
    }

    /// Whether it was done.
    func flag(_ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?) -> gboolean {
        guard let result = unsafe result else { return 0 }
        return unsafe g_task_propagate_boolean(result, error)
    }

    /// A text.
    func text(_ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?) -> UnsafeMutablePointer<CChar>? {
        guard let result = unsafe result else { return nil }
        return unsafe g_task_propagate_pointer(result, error)?.assumingMemoryBound(to: CChar.self)
    }

    /// A user.
    func user(_ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?) -> UnsafeMutablePointer<SharedAuthUser>? {
        guard let result = unsafe result else { return nil }
        return unsafe g_task_propagate_pointer(result, error)?.assumingMemoryBound(to: SharedAuthUser.self)
    }
}

extension SessionCore {
    /// How long a call may wait for the keyring.
    var timeout: Duration { .milliseconds(settings.timeout) }

    /// The object of a user who has just become current.
    func object(of user: User) -> ObjectReference { object(of: SessionView.ShownUser(user)).object }

    /// The identity provider of the session's engine.
    ///
    /// - Throws: `operationNotAllowed` if the session has none.
    var provider: ProviderCore {
        get throws(AuthError) {
            guard let provider = try engine.settings.provider else {
                throw AuthError(.operationNotAllowed, "The session has no identity provider.")
            }
            return provider
        }
    }

    /// The current user, once that is known.
    ///
    /// - Throws: `nullUser` if nobody is signed in; why that is not known.
    var currentUser: User {
        get async throws(AuthError) {
            let auth = try engine.auth
            switch await auth.ready() {
            case .signedIn(let user): return user
            case .signedOut: throw AuthError(.nullUser, "Nobody is signed in.")
            case .unknown, .locked, .unavailable, .damaged: throw auth.failure ?? .isNotKnown
            }
        }
    }
}

extension UserCore {
    /// The user that a call is given.
    ///
    /// - Throws: `nullUser` for an object that no session made.
    var given: User {
        get throws(AuthError) {
            if let user { return user.user }
            throw AuthError(.nullUser, "The user is one that no session gave.")
        }
    }
}

extension AuthError {
    /// That the first load has not ended.
    static let isNotKnown = AuthError(.timedOut, "It is not known yet who is signed in.", remedy: "Try again later.")
}

/// A migration policy; nil, and a critical, for a number that is none.
func migrationPolicy(_ number: SharedAuthMigrationPolicy, _ function: StaticString) -> MigrationPolicy? {
    if let policy = MigrationPolicy(number) { return policy }
    critical(function, "policy is a SharedAuthMigrationPolicy")
    return nil
}
