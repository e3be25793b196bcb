internal import FoundationEssentials
public import SharedAuth
internal import SharedAuthHTTP

extension IdentityToolkit: SecondFactors {
    /// Creates a secret for one-time passwords.
    public func generateSecret(for tokens: UserTokens) async throws(AuthError) -> TOTPSecret {
        let members: [String: JSONValue] = [
            "idToken": .string(try Self.idToken(of: tokens)), "totpEnrollmentInfo": .object([:]),
        ]
        let answer = try await backend.call(.startEnrollment, members)
        guard let info = JSONObject(answer.members["totpSessionInfo"]), let key = info.string("sharedSecretKey"),
            let session = info.string("sessionInfo")
        else { throw .incomplete("a secret") }
        return TOTPSecret(
            key: key,
            hashingAlgorithm: info.string("hashingAlgorithm") ?? "SHA1",
            codeLength: info.seconds("verificationCodeLength").map { Int($0) } ?? 6,
            codeIntervalSeconds: info.seconds("periodSec").map { Int($0) } ?? 30,
            enrollmentCompletionDeadline: info.date("finalizeEnrollmentTime"),
            sessionInfo: session
        )
    }

    /// Enrolls a second factor from a secret and a one-time password.
    ///
    /// - Throws: `missingMultiFactorInfo` if the assertion is for a sign-in.
    public func enroll(
        _ assertion: MultiFactorAssertion,
        displayName: String?,
        for tokens: UserTokens
    ) async throws(AuthError) -> AccountChange {
        guard case .secret(let secret) = assertion.subject else {
            throw AuthError(
                .missingMultiFactorInfo,
                "The assertion is for a sign-in, not for a new factor.",
                remedy: "Make it with assertionForEnrollment(with:oneTimePassword:)."
            )
        }
        var members: [String: JSONValue] = [
            "idToken": .string(try Self.idToken(of: tokens)),
            "totpVerificationInfo": .object([
                "sessionInfo": .string(secret.sessionInfo), "verificationCode": .string(assertion.oneTimePassword),
            ]),
        ]
        if let displayName { members["displayName"] = .string(displayName) }
        return try await change(by: try await backend.call(.finishEnrollment, members), tokens)
    }

    /// Removes a second factor. Firebase may then end the session without issuing new tokens.
    ///
    /// - Throws: `outcomeUnknown` if there are no new tokens and the account cannot be looked up now.
    public func unenroll(factorUID: String, for tokens: UserTokens) async throws(AuthError) -> AccountChange {
        let members: [String: JSONValue] = [
            "idToken": .string(try Self.idToken(of: tokens)), "mfaEnrollmentId": .string(factorUID),
        ]
        return try await change(by: try await backend.call(.withdrawFactor, members), tokens)
    }

    /// Returns the account as it is now. New tokens must not be lost, so if the profile cannot be fetched, it is read
    /// from the new tokens.
    private func change(by answer: JSONObject, _ tokens: UserTokens) async throws(AuthError) -> AccountChange {
        guard let renewed = try answer.tokens(at: now()) else {
            do throws(AuthError) {
                return AccountChange(profile: try await profile(for: tokens))
            } catch  where error.code.mayPass {
                throw AuthError(
                    .outcomeUnknown,
                    "The second factors were changed, but the account cannot be looked up now.",
                    remedy: "Call reload() later.",
                    underlying: error
                )
            }
        }
        let profile = try await profile(afterChangeBy: answer, renewed, replacing: tokens)
        return AccountChange(profile: profile, tokens: renewed)
    }
}

extension MultiFactorAssertion {
    /// The uid of the factor that completes a sign-in.
    ///
    /// - Throws: `missingMultiFactorInfo` if the assertion is for enrolling a factor.
    var factorForSignIn: String {
        get throws(AuthError) {
            if case .factor(let uid) = subject { return uid }
            throw AuthError(
                .missingMultiFactorInfo,
                "The assertion is for a new factor, not for a sign-in.",
                remedy: "Make it with assertionForSignIn(withEnrollmentID:oneTimePassword:)."
            )
        }
    }
}
