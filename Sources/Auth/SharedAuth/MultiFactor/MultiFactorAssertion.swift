/// The proof that the person has a second factor (Firebase: `MultiFactorAssertion`); made by ``TOTPMultiFactorGenerator``. Printed, it
/// shows the kind alone.
public struct MultiFactorAssertion: Sendable {
    /// The factor that is proved. There may be more cases later: give `operationNotAllowed` for those that you do not know.
    public enum Subject: Sendable {
        /// A factor that the account has, by its id: for a sign-in.
        case factor(uid: String)
        /// A secret that is to become a factor.
        case secret(TOTPSecret)
    }

    /// The kind, e.g. `totp`.
    public let factorID: String
    /// What it is about.
    public let subject: Subject
    /// The code that the factor gives at the moment.
    public let oneTimePassword: String
}

/// An assertion of a code of an authenticator app (Firebase: `TOTPMultiFactorAssertion`): there is no other kind here.
public typealias TOTPMultiFactorAssertion = MultiFactorAssertion

extension MultiFactorAssertion: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind alone.
    public var description: String { "MultiFactorAssertion(\(factorID))" }
    /// The kind alone.
    public var debugDescription: String { description }
    /// The kind alone: the code is secret.
    public var customMirror: Mirror { Mirror(self, children: ["factorID": factorID]) }
}

/// Makes assertions from the codes of an authenticator app, and the secrets for such apps (Firebase: `TOTPMultiFactorGenerator`).
public enum TOTPMultiFactorGenerator {
    /// The kind of factor (Firebase: `TOTPMultiFactorID`).
    public static let id = "totp"

    /// Has the identity provider make a secret for the user of the session.
    ///
    /// - Throws: `requiresRecentLogin`, `unverifiedEmail`, `operationNotAllowed` if the identity provider or the project has no such
    ///   factors; else as `User.getIDToken(forcingRefresh:)`.
    public static func generateSecret(with session: MultiFactorSession) async throws(AuthError) -> TOTPSecret {
        try await session.user().multiFactor.generateSecret()
    }

    /// Calls the async form; the completion runs on its actor, else through the listener executor.
    public static func generateSecret(
        with session: MultiFactorSession,
        @_inheritActorContext completion: (@isolated(any) @Sendable (TOTPSecret?, AuthError?) -> Void)?
    ) {
        switch session.subject {
        case .user(let user):
            user.complete(completion) { _ async throws(AuthError) in try await generateSecret(with: session) }
        case .signIn(let auth):
            auth.complete(completion) { _ async throws(AuthError) in try await generateSecret(with: session) }
        }
    }

    /// Makes the assertion that the person's app has the secret.
    ///
    /// - Parameters:
    ///   - secret: the one that ``generateSecret(with:)`` gave.
    ///   - oneTimePassword: the code that the person reads in that app.
    public static func assertionForEnrollment(
        with secret: TOTPSecret,
        oneTimePassword: String
    ) -> MultiFactorAssertion {
        MultiFactorAssertion(factorID: id, subject: .secret(secret), oneTimePassword: oneTimePassword)
    }

    /// Makes the assertion for a sign-in.
    ///
    /// - Parameters:
    ///   - enrollmentID: the `uid` of the factor, one of the resolver's hints.
    ///   - oneTimePassword: the code that the person reads in that app.
    public static func assertionForSignIn(
        withEnrollmentID enrollmentID: String,
        oneTimePassword: String
    ) -> MultiFactorAssertion {
        MultiFactorAssertion(factorID: id, subject: .factor(uid: enrollmentID), oneTimePassword: oneTimePassword)
    }
}
