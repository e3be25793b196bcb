import Foundation
import SharedAuth
import TestSupport
import Testing

/// Tests errors as Firebase apps read them: with Foundation, as `NSError`.
struct FoundationErrorTests {
    private func failing() throws { throw AuthError(.wrongPassword, "Wrong.", remedy: "Try another.") }

    @Test("An error has Firebase's code and domain in every conversion to NSError")
    func code() throws {
        do {
            try failing()
            Issue.record("thrown nothing")
        } catch {
            let error = error as NSError
            #expect(error.code == 17009 && error.domain == "FIRAuthErrorDomain" && error.domain == AuthErrorDomain)
            #expect(AuthErrorCode(rawValue: error.code) == .wrongPassword)
            #expect(AuthErrorCode.Code(rawValue: error.code)?.code == .wrongPassword)
            #expect(error.localizedDescription == "Wrong." && error.localizedRecoverySuggestion == "Try another.")
        }
        // From a completion handler.
        let optional: AuthError? = AuthError(.secondFactorRequired, "Two.")
        guard let error = optional as NSError? else { Issue.record("no error"); return }
        #expect(error.code == AuthErrorCode.secondFactorRequired.rawValue)
        #expect(optional?._code == 17078 && optional?._domain == AuthErrors.domain)
        let any: (any Error)? = optional
        #expect((any as NSError?)?.code == 17078 && any?._code == 17078)
        #expect((AuthError(.keyringLocked, "Locked.") as NSError).code == 19001)
    }

    @Test("An error's details have Firebase's keys, and types that can be cast")
    func userInfo() {
        let credential = OAuthCredential(providerID: "github.com", idToken: "t")
        let refused = AuthError(
            .credentialAlreadyInUse,
            "In use.",
            details: .credential(email: "ada@example.com", credential),
            underlying: AuthError(.networkError, "Below.")
        ).errorUserInfo
        #expect(refused[AuthErrorUserInfoNameKey] as? String == "ERROR_CREDENTIAL_ALREADY_IN_USE")
        #expect(refused[AuthErrors.userInfoEmailKey] as? String == "ada@example.com")
        #expect(refused[AuthErrorUserInfoEmailKey] as? String == "ada@example.com")
        let updated = refused[AuthErrorUserInfoUpdatedCredentialKey] as? AuthCredential
        #expect(updated === credential && updated?.provider == "github.com")
        #expect((refused[NSUnderlyingErrorKey] as? AuthError)?.code == .networkError)
        let resolver = MultiFactorResolver(hints: [MultiFactorInfo(uid: "f", factorID: TOTPMultiFactorID)]) {
            _ throws(AuthError) in throw AuthError(.internalError, "None.")
        }
        let second = AuthError(.secondFactorRequired, "Two.", details: .secondFactor(resolver)).errorUserInfo
        let found = second[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver
        #expect(found?.hints.first?.uid == "f")
        let plain = AuthError(.userNotFound, "None.").errorUserInfo
        #expect(plain.count == 2 && plain[NSLocalizedDescriptionKey] as? String == "None.")
        let remedied = AuthError(.userNotFound, "None.", remedy: "Look.").errorUserInfo
        #expect(remedied[NSLocalizedRecoverySuggestionErrorKey] as? String == "Look.")
    }

    @Test("Each code has Firebase's name")
    func names() throws {
        let source = try String(
            contentsOfFile:
                "\(Checkout.root.path)/"
                + "Sources/Auth/SharedAuth/Errors/AuthErrorCode.swift",
            encoding: .utf8
        )
        // The comment of each constant has the name.
        let rows = source.matches(of: /Firebase:[\s\/]+(\w+)\.\n    public static let (\w+) =/)
        #expect(rows.count > 90)
        let numbers = Dictionary(
            uniqueKeysWithValues: source.matches(of: /case (\w+) = (\d+)/).map { ($0.output.1, $0.output.2) }
        )
        for row in rows {
            let code = try #require(numbers[row.output.2].flatMap { Int($0) }.flatMap(AuthErrorCode.init(rawValue:)))
            #expect(code.errorName == row.output.1)
        }
        #expect(AuthErrorCode.keyringLocked.errorName == "ERROR_KEYRING_LOCKED")
    }
}
