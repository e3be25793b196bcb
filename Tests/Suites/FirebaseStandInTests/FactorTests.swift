import FirebaseStandInServer
import FoundationEssentials
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

@Suite("Second factors at the stand-in")
struct FactorTests {
    @Test(
        "One-time passwords follow RFC 6238",
        arguments: [(59.0, "287082"), (1_111_111_109, "081804"), (1_234_567_890, "005924"), (2_000_000_000, "279037")]
    )
    func vectors(_ moment: Double, _ code: String) {
        // The RFC's secret, 12345678901234567890, in base 32. Its passwords have eight digits; these are the last six.
        let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        #expect(TOTP.code(secret: secret, at: Date(timeIntervalSince1970: moment)) == code)
    }

    /// Returns an account with a verified address and a second factor, and the factor's secret.
    private func account(_ project: Project) async throws -> (tokens: JSONObject, secret: String, factor: String) {
        let grant = try await project.signUp()
        let start: [String: JSONValue] = ["idToken": grant.idToken, "totpEnrollmentInfo": .object([:])]
        #expect(try await project.call("v2/accounts/mfaEnrollment:start", start).refusal == "UNVERIFIED_EMAIL")
        try await project.administer("update", ["localId": .string(grant.profile.uid), "emailVerified": .bool(true)])
        let answer = try await project.call("v2/accounts/mfaEnrollment:start", start)
        let session = try #require(JSONObject(answer.members["totpSessionInfo"]))
        let secret = try #require(session.string("sharedSecretKey"))
        func finish(_ code: String) async throws -> JSONObject {
            let info: [String: JSONValue] = [
                "sessionInfo": session.members["sessionInfo"] ?? .null, "verificationCode": .string(code),
            ]
            return try await project.call(
                "v2/accounts/mfaEnrollment:finalize",
                ["idToken": grant.idToken, "displayName": .string("Phone"), "totpVerificationInfo": .object(info)]
            )
        }
        let code = try code(secret, project)
        #expect(try await finish(code == "000000" ? "000001" : "000000").refusal == "INVALID_CODE")
        let tokens = try await finish(code)
        let users = try await project.call("v1/accounts:lookup", ["idToken": tokens.members["idToken"] ?? .null])
        let factor = try #require(users.objects("users").first?.objects("mfaInfo").first?.string("mfaEnrollmentId"))
        return (tokens, secret, factor)
    }

    private func code(_ secret: String, _ project: Project) throws -> String {
        try #require(TOTP.code(secret: secret, at: project.standIn.now))
    }

    @Test("A second factor needs the current one-time password and is named in the token")
    func signIn() async throws {
        let project = try Project()
        let (_, secret, factor) = try await account(project)
        let options = AuthApp.Options(
            appID: "com.example.Mail",
            project: "KEY",
            identityProvider: IdentityProviderFactory { [toolkit = project.toolkit()] _ in toolkit },
            store: .inMemory()
        )
        let auth = Auth.auth(app: try AuthApp(unregistered: options))
        let error = await expectFailure(.secondFactorRequired) {
            try await auth.signIn(withEmail: "ada@example.com", password: "secret-1")
        }
        guard let resolver = error?.details?.secondFactor else {
            Issue.record("there is no resolver")
            return
        }
        #expect(resolver.hints.map(\.uid) == [factor] && resolver.hints.map(\.displayName) == ["Phone"])
        #expect(resolver.hints.first?.enrollmentDate != nil)
        func assertion(_ code: String) -> MultiFactorAssertion {
            TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: factor, oneTimePassword: code)
        }
        let old = try #require(TOTP.code(secret: secret, at: project.standIn.now.addingTimeInterval(-3600)))
        await expectFailure(.invalidVerificationCode) { try await resolver.resolveSignIn(with: assertion(old)) }
        #expect(auth.currentUser == nil)
        let result = try await resolver.resolveSignIn(with: assertion(try code(secret, project)))
        let token = try await result.user.getIDToken()
        let firebase = JSONObject(claims(of: token)?.members["firebase"])
        #expect(firebase?.string("sign_in_second_factor") == "totp")
        #expect(firebase?.string("second_factor_identifier") == factor)
        #expect(auth.currentUser?.uid == result.user.uid)
    }

    @Test("A withdrawn factor is no longer required")
    func withdraw() async throws {
        let project = try Project()
        let (tokens, _, factor) = try await account(project)
        let idToken = tokens.members["idToken"] ?? .null
        #expect(
            JSONObject(claims(of: idToken.string ?? "")?.members["firebase"])?.string("sign_in_second_factor") == "totp"
        )
        let members: [String: JSONValue] = ["idToken": idToken, "mfaEnrollmentId": .string(factor)]
        let answer = try await project.call("v2/accounts/mfaEnrollment:withdraw", members)
        #expect(answer.string("refreshToken") != nil)
        #expect(try await project.call("v2/accounts/mfaEnrollment:withdraw", members).refusal == "TOKEN_EXPIRED")
        let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret-1")
        #expect(try await project.toolkit().signIn(with: credential, tenantID: nil).profile.email != nil)
    }
}
