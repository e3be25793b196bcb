/// The second factors of a user, and the calls that add and remove them (Firebase: `MultiFactor`).
public struct MultiFactor: Sendable {
    let user: User

    /// The account's second factors, as of the last sign-in, reload or change.
    public var enrolledFactors: [MultiFactorInfo] { user.snapshot.profile.enrolledFactors ?? [] }

    /// Returns a session for ``TOTPMultiFactorGenerator/generateSecret(with:)``. Never throws; the signature is
    /// Firebase's.
    public func session() async throws(AuthError) -> MultiFactorSession { MultiFactorSession(subject: .user(user)) }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func getSessionWithCompletion(
        @_inheritActorContext _ completion: (@isolated(any) @Sendable (MultiFactorSession?, AuthError?) -> Void)?
    ) {
        user.complete(completion) { user async throws(AuthError) in
            try await user.multiFactor.session()
        }
    }

    /// Adds a factor. Later sign-ins require one of its codes. The current session continues.
    ///
    /// - Parameters:
    ///   - assertion: An assertion from ``TOTPMultiFactorGenerator/assertionForEnrollment(with:oneTimePassword:)``.
    ///   - displayName: The user's name for the factor.
    /// - Throws: `invalidVerificationCode` if the code is wrong; `secondFactorAlreadyEnrolled` or
    ///   `maximumSecondFactorCountExceeded` if the account cannot have this factor; `requiresRecentLogin` if the
    ///   sign-in is too old; `operationNotAllowed` if the identity provider does not offer second factors; the errors
    ///   of `User.getIDToken(forcingRefresh:)`.
    public func enroll(with assertion: MultiFactorAssertion, displayName: String?) async throws(AuthError) {
        try await user.accountUpdate().perform { accounts, tokens async throws(AuthError) in
            try await Self.factors(of: accounts).enroll(assertion, displayName: displayName, for: tokens)
        }
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func enroll(
        with assertion: MultiFactorAssertion,
        displayName: String?,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        user.complete(completion) { user async throws(AuthError) in
            try await user.multiFactor.enroll(with: assertion, displayName: displayName)
        }
    }

    /// Removes a factor of any kind. The identity provider may end the session.
    ///
    /// - Throws: `multiFactorInfoNotFound` if the account does not have the factor; `requiresRecentLogin` if the
    ///   sign-in is too old; `operationNotAllowed` if the identity provider does not offer second factors;
    ///   `userTokenExpired` if the session ended; the errors of `User.getIDToken(forcingRefresh:)`.
    public func unenroll(withFactorUID factorUID: String) async throws(AuthError) {
        try await user.accountUpdate().perform { accounts, tokens async throws(AuthError) in
            try await Self.factors(of: accounts).unenroll(factorUID: factorUID, for: tokens)
        }
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func unenroll(
        withFactorUID factorUID: String,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        user.complete(completion) { user async throws(AuthError) in
            try await user.multiFactor.unenroll(withFactorUID: factorUID)
        }
    }

    /// Removes a factor.
    ///
    /// - Throws: The errors of ``unenroll(withFactorUID:)``.
    public func unenroll(with factor: MultiFactorInfo) async throws(AuthError) {
        try await unenroll(withFactorUID: factor.uid)
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
    public func unenroll(
        with factor: MultiFactorInfo,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        unenroll(withFactorUID: factor.uid, completion: completion)
    }

    /// Requests a new secret from the identity provider.
    func generateSecret() async throws(AuthError) -> TOTPSecret {
        try await user.accountUpdate().ask { accounts, tokens async throws(AuthError) in
            try await Self.factors(of: accounts).generateSecret(for: tokens)
        }
    }

    private static func factors(of accounts: any AccountProvider) throws(AuthError) -> any SecondFactors {
        if let factors = accounts as? any SecondFactors { return factors }
        throw .notOffered("second factors", by: accounts.issuer)
    }
}

/// The context of a second factor (Firebase: `MultiFactorSession`): the user who enrolls it, from
/// `user.multiFactor.session()`, or a sign-in that requires it, from ``MultiFactorResolver/session``.
public struct MultiFactorSession: Sendable {
    enum Subject {
        case user(User)
        case signIn(Auth)
    }

    let subject: Subject

    /// Returns the user who enrolls a factor.
    ///
    /// - Throws: `invalidMultiFactorSession` if the session belongs to a sign-in.
    func user() throws(AuthError) -> User {
        if case .user(let user) = subject { return user }
        throw AuthError(
            .invalidMultiFactorSession,
            "The session belongs to a sign-in, which cannot enroll a second factor.",
            remedy: "Sign in, and use the session of user.multiFactor."
        )
    }
}

extension User {
    /// The user's second factors.
    public var multiFactor: MultiFactor { MultiFactor(user: self) }
}

/// An identity provider that manages accounts and their second factors. Each operation acts for the user that the
/// tokens belong to.
public protocol SecondFactors: AccountProvider {
    /// Creates a secret that can be enrolled.
    ///
    /// - Throws: `requiresRecentLogin` if the sign-in is too old; `operationNotAllowed` if the project does not allow
    ///   second factors.
    func generateSecret(for tokens: UserTokens) async throws(AuthError) -> TOTPSecret

    /// Adds a factor.
    ///
    /// - Throws: `invalidVerificationCode` if the code is wrong.
    func enroll(
        _ assertion: MultiFactorAssertion,
        displayName: String?,
        for tokens: UserTokens
    ) async throws(AuthError) -> AccountChange

    /// Removes a factor.
    ///
    /// - Throws: `multiFactorInfoNotFound` if the account does not have it.
    func unenroll(factorUID: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange
}
