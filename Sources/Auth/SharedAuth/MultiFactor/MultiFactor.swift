/// The second factors of a user, and the calls that add and remove them (Firebase: `MultiFactor`).
public struct MultiFactor: Sendable {
    let user: User

    /// The factors that the account has, as of the last sign-in, reload or change.
    public var enrolledFactors: [MultiFactorInfo] { user.snapshot.profile.enrolledFactors ?? [] }

    /// A session for ``TOTPMultiFactorGenerator/generateSecret(with:)``. It does not fail; `throws` is for Firebase's signature.
    public func session() async throws(AuthError) -> MultiFactorSession { MultiFactorSession(subject: .user(user)) }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func getSessionWithCompletion(
        @_inheritActorContext _ completion: (@isolated(any) @Sendable (MultiFactorSession?, AuthError?) -> Void)?
    ) {
        user.complete(completion) { user async throws(AuthError) in
            try await user.multiFactor.session()
        }
    }

    /// Adds a factor: from then on a sign-in needs a code of it. The present session goes on.
    ///
    /// - Parameters:
    ///   - assertion: made by ``TOTPMultiFactorGenerator/assertionForEnrollment(with:oneTimePassword:)``.
    ///   - displayName: what the person calls it.
    /// - Throws: `invalidVerificationCode`, `secondFactorAlreadyEnrolled`, `maximumSecondFactorCountExceeded`, `requiresRecentLogin`,
    ///   `operationNotAllowed`; else as `User.getIDToken(forcingRefresh:)`.
    public func enroll(with assertion: MultiFactorAssertion, displayName: String?) async throws(AuthError) {
        try await user.accountUpdate().perform { accounts, tokens async throws(AuthError) in
            try await Self.factors(of: accounts).enroll(assertion, displayName: displayName, for: tokens)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func enroll(
        with assertion: MultiFactorAssertion,
        displayName: String?,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        user.complete(completion) { user async throws(AuthError) in
            try await user.multiFactor.enroll(with: assertion, displayName: displayName)
        }
    }

    /// Removes a factor, of whatever kind. The identity provider may end the session.
    ///
    /// - Throws: `multiFactorInfoNotFound`, `requiresRecentLogin`, `operationNotAllowed`; `userTokenExpired` if the session ended; else
    ///   as `User.getIDToken(forcingRefresh:)`.
    public func unenroll(withFactorUID factorUID: String) async throws(AuthError) {
        try await user.accountUpdate().perform { accounts, tokens async throws(AuthError) in
            try await Self.factors(of: accounts).unenroll(factorUID: factorUID, for: tokens)
        }
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
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
    /// - Throws: as ``unenroll(withFactorUID:)``.
    public func unenroll(with factor: MultiFactorInfo) async throws(AuthError) {
        try await unenroll(withFactorUID: factor.uid)
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public func unenroll(
        with factor: MultiFactorInfo,
        @_inheritActorContext completion: (@isolated(any) @Sendable (AuthError?) -> Void)?
    ) {
        unenroll(withFactorUID: factor.uid, completion: completion)
    }

    /// Has the identity provider make a secret.
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

/// What a second factor is about (Firebase: `MultiFactorSession`): the user who is to get one, from `user.multiFactor.session()`, or a
/// sign-in that needs one, from ``MultiFactorResolver/session``.
public struct MultiFactorSession: Sendable {
    enum Subject {
        case user(User)
        case signIn(Auth)
    }

    let subject: Subject

    /// The user who is to get a factor.
    ///
    /// - Throws: `invalidMultiFactorSession` if it is about a sign-in.
    func user() throws(AuthError) -> User {
        if case .user(let user) = subject { return user }
        throw AuthError(
            .invalidMultiFactorSession,
            "The session is that of a sign-in, which has no new factor.",
            remedy: "Sign in, and use the session of user.multiFactor."
        )
    }
}

extension User {
    /// The user's second factors.
    public var multiFactor: MultiFactor { MultiFactor(user: self) }
}

/// What an identity provider does about second factors, in addition to managing accounts; each operation acts for the holder of the
/// tokens.
public protocol SecondFactors: AccountProvider {
    /// Makes a secret that can be enrolled.
    ///
    /// - Throws: `requiresRecentLogin`, `operationNotAllowed` if the project has no second factors.
    func generateSecret(for tokens: UserTokens) async throws(AuthError) -> TOTPSecret

    /// Adds a factor.
    ///
    /// - Throws: `invalidVerificationCode` for a wrong code.
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
