public import DesktopSupport

/// Finishes a sign-in that needs a second factor (Firebase: `MultiFactorResolver`). An error with code
/// `secondFactorRequired` contains it as ``AuthErrorDetails/secondFactor(_:)``. Its description shows the number of
/// factors alone.
public struct MultiFactorResolver: Sendable {
    /// Finishes the sign-in at the identity provider.
    public typealias Finish = @Sendable (MultiFactorAssertion) async throws(AuthError) -> IdentityGrant
    typealias Resume =
        @Sendable (@escaping @Sendable () async throws(AuthError) -> IdentityGrant) async throws(AuthError) ->
        AuthDataResult

    /// The second factors of the account, one of which is needed.
    public let hints: [MultiFactorInfo]
    private let finish: Finish
    private let resume: Resume?
    private let owner: Auth?

    /// Creates a resolver. Identity providers add it to the error that they throw.
    ///
    /// - Parameters:
    ///   - hints: The second factors of the account, one of which is needed.
    ///   - finish: Finishes the sign-in at the identity provider.
    public init(hints: [MultiFactorInfo], finish: @escaping Finish) {
        self.init(hints: hints, finish: finish, resume: nil, owner: nil)
    }

    private init(hints: [MultiFactorInfo], finish: @escaping Finish, resume: Resume?, owner: Auth?) {
        self.hints = hints
        self.finish = finish
        self.resume = resume
        self.owner = owner
    }

    /// Finishes the original call: the user is signed in or reauthenticated, as if no second factor had been needed.
    ///
    /// It can be called again after `invalidVerificationCode`.
    ///
    /// - Throws: `invalidVerificationCode` if the code is wrong; `invalidMultiFactorSession` if too much time has
    ///   passed; `multiFactorInfoNotFound` if the account does not have the factor; the errors of the original call.
    @discardableResult
    public func resolveSignIn(with assertion: MultiFactorAssertion) async throws(AuthError) -> AuthDataResult {
        guard let resume else {
            throw AuthError(
                .internalError,
                "This resolver is not from an error of Auth or User.",
                remedy: "Use the resolver in the details of the error that the call throws."
            )
        }
        return try await resume { [finish] () async throws(AuthError) in try await finish(assertion) }
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor,
    /// after the listeners.
    public func resolveSignIn(
        with assertion: MultiFactorAssertion,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        auth.complete(completion) { _ async throws(AuthError) in try await resolveSignIn(with: assertion) }
    }

    /// The `Auth` of the original call; for a resolver that is not from such a call, the configured app's `Auth`.
    public var auth: Auth { owner ?? Auth.auth() }

    /// The session of the sign-in.
    public var session: MultiFactorSession { MultiFactorSession(subject: .signIn(auth)) }

    /// Returns a copy that resumes the original call.
    func resuming(_ resume: @escaping Resume, by owner: Auth?) -> MultiFactorResolver {
        MultiFactorResolver(hints: hints, finish: finish, resume: resume, owner: owner)
    }
}

extension AuthError {
    /// Returns the error; if it requires a second factor, with a resolver that resumes the original call.
    func resuming(by auth: Auth?, _ resume: @escaping MultiFactorResolver.Resume) -> AuthError {
        guard let resolver = details?.secondFactor else { return self }
        return AuthError(
            code,
            message,
            remedy: remedy,
            details: .secondFactor(resolver.resuming(resume, by: auth)),
            underlying: underlying
        )
    }
}

extension MultiFactorResolver: Redacted {
    /// The number of factors alone.
    public var description: String { "MultiFactorResolver(\(hints.count) factors)" }
    /// The kinds of the factors alone.
    public var customMirror: Mirror { Mirror(self, children: ["hints": hints.map(\.factorID)]) }
}
