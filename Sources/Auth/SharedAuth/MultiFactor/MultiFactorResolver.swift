/// Finishes a sign-in that needs a second factor (Firebase: `MultiFactorResolver`); an error of the code `secondFactorRequired` has
/// it as ``AuthErrorDetails/secondFactor(_:)``. Printed, it shows the number of factors alone.
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

    /// Makes a resolver; identity providers do, for the error that they throw.
    public init(hints: [MultiFactorInfo], finish: @escaping Finish) {
        self.init(hints: hints, finish: finish, resume: nil, owner: nil)
    }

    private init(hints: [MultiFactorInfo], finish: @escaping Finish, resume: Resume?, owner: Auth?) {
        self.hints = hints
        self.finish = finish
        self.resume = resume
        self.owner = owner
    }

    /// Finishes what was begun: the user is signed in, or signed in again, as if no second factor had been needed.
    ///
    /// It can be called again after `invalidVerificationCode`.
    /// - Throws: `invalidVerificationCode` for a wrong code, `invalidMultiFactorSession` when it took too long, `multiFactorInfoNotFound`; else as
    ///   the call that was begun.
    @discardableResult
    public func resolveSignIn(with assertion: MultiFactorAssertion) async throws(AuthError) -> AuthDataResult {
        guard let resume else {
            throw AuthError(
                .internalError,
                "This resolver does not come from a call of Auth or User.",
                remedy: "Use the resolver in the details of the error that the call throws."
            )
        }
        return try await resume { [finish] () async throws(AuthError) in try await finish(assertion) }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor, after the listeners.
    public func resolveSignIn(
        with assertion: MultiFactorAssertion,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthDataResult?, AuthError?) -> Void)?
    ) {
        auth.complete(completion) { _ async throws(AuthError) in try await resolveSignIn(with: assertion) }
    }

    /// The `Auth` whose call was begun; for a resolver that comes from no such call, the app's own.
    public var auth: Auth { owner ?? Auth.auth() }

    /// The session of the sign-in.
    public var session: MultiFactorSession { MultiFactorSession(subject: .signIn(auth)) }

    /// The same, which goes on with the call that was begun.
    func resuming(_ resume: @escaping Resume, by owner: Auth?) -> MultiFactorResolver {
        MultiFactorResolver(hints: hints, finish: finish, resume: resume, owner: owner)
    }
}

extension AuthError {
    /// The same; if it wants a second factor, the call that was begun goes on with that.
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

extension MultiFactorResolver: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of factors alone.
    public var description: String { "MultiFactorResolver(\(hints.count) factors)" }
    /// The number of factors alone.
    public var debugDescription: String { description }
    /// The kinds of the factors alone.
    public var customMirror: Mirror { Mirror(self, children: ["hints": hints.map(\.factorID)]) }
}
