/// A call of a completion handler with its result, and the executor or actor to make it on. As for a listener, the
/// handler's isolation determines this.
enum CompletionCall: Sendable {
    /// Through the app's listener executor, for a handler without an actor.
    case executor(@Sendable () -> Void)
    /// On the main actor.
    case mainActor(@MainActor @Sendable () -> Void)
    /// On another actor.
    case otherActor(@Sendable () async -> Void)

    /// Creates a call of a handler that receives a value or an error.
    init<Value: Sendable>(
        of handler: @escaping @isolated(any) @Sendable (Value?, AuthError?) -> Void,
        _ result: Result<Value, AuthError>
    ) {
        let (value, error): (Value?, AuthError?) =
            switch result {
            case .success(let value): (value, nil)
            case .failure(let error): (nil, error)
            }
        switch handler.isolation {
        case nil:
            let call = unsafe unsafeBitCast(handler, to: (@Sendable (Value?, AuthError?) -> Void).self)
            self = .executor { call(value, error) }
        case let actor? where actor === MainActor.shared:
            let call = unsafe unsafeBitCast(handler, to: (@MainActor @Sendable (Value?, AuthError?) -> Void).self)
            self = .mainActor { call(value, error) }
        default: self = .otherActor { await handler(value, error) }
        }
    }

    /// Creates a call of a handler that receives an error or nil.
    init(of handler: @escaping @isolated(any) @Sendable (AuthError?) -> Void, _ result: Result<Void, AuthError>) {
        let error: AuthError? = if case .failure(let error) = result { error } else { nil }
        switch handler.isolation {
        case nil:
            let call = unsafe unsafeBitCast(handler, to: (@Sendable (AuthError?) -> Void).self)
            self = .executor { call(error) }
        case let actor? where actor === MainActor.shared:
            let call = unsafe unsafeBitCast(handler, to: (@MainActor @Sendable (AuthError?) -> Void).self)
            self = .mainActor { call(error) }
        default: self = .otherActor { await handler(error) }
        }
    }
}

extension Auth {
    /// Runs an async form, then calls the completion handler on its actor or through the listener executor.
    package func complete<Value: Sendable>(
        _ completion: (@isolated(any) @Sendable (Value?, AuthError?) -> Void)?,
        _ operation: @escaping @Sendable (Auth) async throws(AuthError) -> Value
    ) {
        Task {
            let result = await Self.result { () async throws(AuthError) in try await operation(self) }
            if let completion { engine.announcer.deliver(CompletionCall(of: completion, result)) }
        }
    }

    /// Runs an async form without a result, then calls the completion handler on its actor or through the listener
    /// executor.
    package func complete(
        _ completion: (@isolated(any) @Sendable (AuthError?) -> Void)?,
        _ operation: @escaping @Sendable (Auth) async throws(AuthError) -> Void
    ) {
        Task {
            let result = await Self.result { () async throws(AuthError) in try await operation(self) }
            if let completion { engine.announcer.deliver(CompletionCall(of: completion, result)) }
        }
    }

    private static func result<Value: Sendable>(
        of operation: @Sendable () async throws(AuthError) -> Value
    ) async -> Result<Value, AuthError> {
        do throws(AuthError) {
            return .success(try await operation())
        } catch {
            return .failure(error)
        }
    }
}

extension User {
    /// Runs an async form, then calls the completion handler on its actor or through the listener executor.
    func complete<Value: Sendable>(
        _ completion: (@isolated(any) @Sendable (Value?, AuthError?) -> Void)?,
        _ operation: @escaping @Sendable (User) async throws(AuthError) -> Value
    ) {
        guard let auth else {
            // Without its Auth, a user has neither an engine nor a listener executor.
            Task { await completion?(nil, .authIsGone) }
            return
        }
        auth.complete(completion) { [self] _ async throws(AuthError) in try await operation(self) }
    }

    /// Runs an async form without a result, then calls the completion handler on its actor or through the listener
    /// executor.
    func complete(
        _ completion: (@isolated(any) @Sendable (AuthError?) -> Void)?,
        _ operation: @escaping @Sendable (User) async throws(AuthError) -> Void
    ) {
        guard let auth else {
            Task { await completion?(.authIsGone) }
            return
        }
        auth.complete(completion) { [self] _ async throws(AuthError) in try await operation(self) }
    }

    /// Returns the engine that carries out the user's calls.
    ///
    /// - Throws: `internalError` if the user's `Auth` was deallocated.
    func owningEngine() throws(AuthError) -> AuthEngine {
        let account = snapshot
        if account.isOnFleet { throw .keptOnFleet(account) }
        if let auth { return auth.engine }
        throw .authIsGone
    }
}

extension AuthError {
    fileprivate static var authIsGone: AuthError {
        AuthError(.internalError, "The user's Auth was released.", remedy: "Keep the AuthApp while you use its users.")
    }
}
