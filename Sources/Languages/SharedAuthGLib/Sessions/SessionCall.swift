internal import CSharedAuthGLib
internal import SharedAuth

/// An asynchronous call of a session, or of a user of one.
struct SessionCall {
    private let session: Result<SessionCore, AuthError>
    private let call: PendingCall
    private let operation: Operation

    /// The kinds of calls. The raw values are the tags by which finish functions recognize their results.
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

        /// The rule for a cancelled call. A refresh that a call for a token has started continues, and its tokens are
        /// saved.
        var cancellationRule: PendingCall.CancellationRule {
            switch self {
            case .load, .getStoredUser, .getIdToken, .getAccessToken: .returnImmediately
            case .signOut, .updateCurrentUser, .deleteUser: .reportFailure
            default: .cancelWork
            }
        }
    }

    /// Creates a call. If `session` is not a session, logs a critical and returns nil.
    init?(
        _ session: SessionPointer?,
        _ operation: Operation,
        _ cancellable: CancellablePointer?,
        _ callback: GAsyncReadyCallback?,
        _ data: gpointer?,
        _ function: StaticString
    ) {
        guard let core = unsafe sessionCore(session, function) else { return nil }
        self.session = .success(core)
        self.operation = operation
        call = unsafe PendingCall(of: session!, "\(operation)", tag: operation.rawValue, cancellable, callback, data)
    }

    /// Creates a call of a user. It fails if the user is of no session. If `user` is not a user, logs a critical and
    /// returns nil.
    init?(
        of user: UserPointer?,
        _ operation: Operation,
        _ cancellable: CancellablePointer?,
        _ callback: GAsyncReadyCallback?,
        _ data: gpointer?,
        _ function: StaticString
    ) {
        guard let core = unsafe userCore(user, function) else { return nil }
        session = Result { () throws(AuthError) in try core.session }
        self.operation = operation
        call = unsafe PendingCall(
            of: user!,
            keeping: (try? session.get())?.object,
            "\(operation)",
            tag: operation.rawValue,
            cancellable,
            callback,
            data
        )
    }

    /// Runs the call. Within `work`, `SessionCore.caller` is the session.
    func run(_ work: @escaping @Sendable (SessionCore, Auth) async throws(AuthError) -> PendingCall.Output) {
        let core = try? session.get()
        core?.begin(call)
        call.run(cancelling: operation.cancellationRule) { [call] in
            core?.ended(call)
        } _: { [session] () async throws(AuthError) in
            let session = try session.get()
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

/// The result passed to a finish function. If it does not belong to the object's call, its values are false or nil.
@safe struct CallResult {
    private let result: OpaquePointer?

    init(
        _ object: UnsafeMutableRawPointer?,
        _ operation: SessionCall.Operation,
        _ result: OpaquePointer?,
        _ function: StaticString
    ) {
        unsafe self.result = isResult(result, of: object, tag: operation.rawValue, function) ? result : nil
    }

    /// Returns TRUE on success.
    func flag(_ error: ErrorReturn?) -> gboolean {
        guard let result = unsafe result else { return 0 }
        return unsafe g_task_propagate_boolean(result, error)
    }

    /// Returns the string, which the caller frees; nil on failure.
    func text(_ error: ErrorReturn?) -> OwnedText? {
        guard let result = unsafe result else { return nil }
        return unsafe g_task_propagate_pointer(result, error)?.assumingMemoryBound(to: CChar.self)
    }

    /// Returns the user, with a reference that the caller owns; nil on failure or without a user.
    func user(_ error: ErrorReturn?) -> UserPointer? {
        guard let result = unsafe result else { return nil }
        return unsafe g_task_propagate_pointer(result, error)?.assumingMemoryBound(to: SharedAuthUser.self)
    }
}

extension SessionCore {
    /// The time limit of a call for the keyring.
    var timeout: Duration { .milliseconds(settings.timeout) }

    /// Returns the object of a user of the slot in use.
    func object(of user: User) -> ObjectReference { object(of: SessionView.ShownUser(user)).object }

    /// The core of the identity provider of the session's engine.
    ///
    /// - Throws: `operationNotAllowed` if the session has no identity provider.
    var provider: ProviderCore {
        get throws(AuthError) {
            guard let provider = try engine.settings.provider else {
                throw AuthError(
                    .operationNotAllowed,
                    "The session has no identity provider.",
                    remedy: "Create the session with identity-provider."
                )
            }
            return provider
        }
    }

    /// The issuer of the users who sign in with the identity provider; nil without one.
    var userIssuer: String? { (try? engine)?.issuer }

    /// The current user, after the first load has ended.
    ///
    /// - Throws: `nullUser` if no user is signed in; the reason why the current user is not known.
    var currentUser: User {
        get async throws(AuthError) {
            let auth = try engine.auth
            switch await auth.ready() {
            case .signedIn(let user): return user
            case .signedOut: throw AuthError(.nullUser, "No user is signed in.", remedy: "Sign in first.")
            case .unknown, .locked, .unavailable, .damaged: throw auth.failure ?? .stateUnknown
            }
        }
    }
}

extension UserCore {
    /// The user of the `Auth`.
    ///
    /// - Throws: `nullUser` for an object that was not created by a session.
    var authUser: User {
        get throws(AuthError) {
            if let user { return user.user }
            throw AuthError(
                .nullUser,
                "The user was not returned by a session.",
                remedy: "Pass a user that a session returned."
            )
        }
    }
}

extension AuthError {
    /// The first load has not ended.
    static let stateUnknown = AuthError(
        .timedOut,
        "The stored user was not read in time.",
        remedy: "Try again later, or set a longer timeout."
    )
}

/// Returns the policy with a C value. For an unknown value, logs a critical and returns nil.
func migrationPolicy(_ number: SharedAuthMigrationPolicy, _ function: StaticString) -> MigrationPolicy? {
    if let policy = MigrationPolicy(number) { return policy }
    critical(function, "policy is a SharedAuthMigrationPolicy")
    return nil
}
