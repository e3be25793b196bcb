public import DesktopSupport

/// Proof that the user has a second factor (Firebase: `MultiFactorAssertion`), created by ``TOTPMultiFactorGenerator``.
/// Its description shows the kind alone.
public struct MultiFactorAssertion: Sendable {
    /// The factor that the assertion proves. Cases may be added: throw `operationNotAllowed` for an unknown case.
    public enum Subject: Sendable {
        /// An enrolled factor, by its id, for a sign-in.
        case factor(uid: String)
        /// A secret to enroll as a factor.
        case secret(TOTPSecret)
    }

    /// The kind, e.g. `totp`.
    public let factorID: String
    /// The factor that the assertion proves.
    public let subject: Subject
    /// The factor's current code.
    public let oneTimePassword: String
}

/// An assertion with a code of an authenticator app (Firebase: `TOTPMultiFactorAssertion`), the only kind in
/// SharedAuth.
public typealias TOTPMultiFactorAssertion = MultiFactorAssertion

extension MultiFactorAssertion: Redacted {
    /// The kind alone.
    public var description: String { "MultiFactorAssertion(\(factorID))" }
    /// The kind alone: the code is secret.
    public var customMirror: Mirror { Mirror(self, children: ["factorID": factorID]) }
}

/// Creates assertions with the codes of an authenticator app, and the secrets for such apps (Firebase:
/// `TOTPMultiFactorGenerator`).
public enum TOTPMultiFactorGenerator {
    /// The kind of factor (Firebase: `TOTPMultiFactorID`).
    public static let id = "totp"

    /// Requests a new secret for the session's user from the identity provider.
    ///
    /// - Throws: `requiresRecentLogin` if the sign-in is too old; `unverifiedEmail` if the e-mail address must be
    ///   verified first; `operationNotAllowed` if the identity provider or the project does not offer such factors;
    ///   `invalidMultiFactorSession` if the session belongs to a sign-in; the errors of
    ///   `User.getIDToken(forcingRefresh:)`.
    public static func generateSecret(with session: MultiFactorSession) async throws(AuthError) -> TOTPSecret {
        try await session.user().multiFactor.generateSecret()
    }

    /// Calls the async form. The completion runs on its actor, or through the listener executor if it has no actor.
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

    /// Returns the assertion that the user's authenticator app has the secret.
    ///
    /// - Parameters:
    ///   - secret: The secret from ``generateSecret(with:)``.
    ///   - oneTimePassword: The code that the authenticator app shows.
    public static func assertionForEnrollment(
        with secret: TOTPSecret,
        oneTimePassword: String
    ) -> MultiFactorAssertion {
        MultiFactorAssertion(factorID: id, subject: .secret(secret), oneTimePassword: oneTimePassword)
    }

    /// Returns the assertion for a sign-in.
    ///
    /// - Parameters:
    ///   - enrollmentID: The `uid` of the factor, one of the resolver's hints.
    ///   - oneTimePassword: The code that the authenticator app shows.
    public static func assertionForSignIn(
        withEnrollmentID enrollmentID: String,
        oneTimePassword: String
    ) -> MultiFactorAssertion {
        MultiFactorAssertion(factorID: id, subject: .factor(uid: enrollmentID), oneTimePassword: oneTimePassword)
    }
}
