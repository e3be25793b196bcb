import Foundation
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

/// Firebase's error words and their codes, row by row.
struct RefusalTests {
    private static let words: [(String, Int)] = [
        ("INVALID_CUSTOM_TOKEN", 17000), ("CREDENTIAL_MISMATCH", 17002), ("INVALID_LOGIN_CREDENTIALS", 17004),
        ("INVALID_IDP_RESPONSE", 17004), ("INVALID_PENDING_TOKEN", 17004), ("USER_DISABLED", 17005),
        ("OPERATION_NOT_ALLOWED", 17006), ("PASSWORD_LOGIN_DISABLED", 17006), ("EMAIL_EXISTS", 17007),
        ("INVALID_EMAIL", 17008), ("INVALID_IDENTIFIER", 17008), ("INVALID_PASSWORD", 17009),
        ("TOO_MANY_ATTEMPTS_TRY_LATER", 17010), ("USER_NOT_FOUND", 17011), ("EMAIL_NOT_FOUND", 17011),
        ("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", 17014), ("INVALID_ID_TOKEN", 17017), ("TOKEN_EXPIRED", 17021),
        ("FEDERATED_USER_ID_ALREADY_LINKED", 17025), ("WEAK_PASSWORD", 17026), ("EXPIRED_OOB_CODE", 17029),
        ("INVALID_OOB_CODE", 17030), ("INVALID_MESSAGE_PAYLOAD", 17031), ("INVALID_SENDER", 17032),
        ("INVALID_RECIPIENT_EMAIL", 17033), ("MISSING_EMAIL", 17034), ("MISSING_IOS_BUNDLE_ID", 17036),
        ("MISSING_ANDROID_PACKAGE_NAME", 17037), ("UNAUTHORIZED_DOMAIN", 17038), ("INVALID_CONTINUE_URI", 17039),
        ("MISSING_CONTINUE_URI", 17040), ("INVALID_PHONE_NUMBER", 17042), ("INVALID_CODE", 17044),
        ("INVALID_SESSION_INFO", 17046), ("MISSING_APP_CREDENTIAL", 17047), ("INVALID_APP_CREDENTIAL", 17048),
        ("SESSION_EXPIRED", 17051), ("QUOTA_EXCEEDED", 17052), ("MISSING_IOS_APP_TOKEN", 17053),
        ("APP_NOT_VERIFIED", 17055), ("CAPTCHA_CHECK_FAILED", 17056), ("INVALID_PROVIDER_ID", 17071),
        ("TENANT_ID_MISMATCH", 17072), ("UNSUPPORTED_TENANT_OPERATION", 17073),
        ("MISSING_MFA_PENDING_CREDENTIAL", 17081), ("MISSING_MFA_ENROLLMENT_ID", 17082),
        ("INVALID_MFA_PENDING_CREDENTIAL", 17083), ("MFA_ENROLLMENT_NOT_FOUND", 17084),
        ("ADMIN_ONLY_OPERATION", 17085), ("UNVERIFIED_EMAIL", 17086), ("SECOND_FACTOR_EXISTS", 17087),
        ("SECOND_FACTOR_LIMIT_EXCEEDED", 17088), ("UNSUPPORTED_FIRST_FACTOR", 17089),
        ("EMAIL_CHANGE_NEEDS_VERIFICATION", 17090), ("MISSING_CLIENT_IDENTIFIER", 17093),
        ("MISSING_OR_INVALID_NONCE", 17094), ("BLOCKING_FUNCTION_ERROR_RESPONSE", 17105),
        ("PASSWORD_DOES_NOT_MEET_REQUIREMENTS", 17211), ("INVALID_HOSTING_LINK_DOMAIN", 17214),
        // Words that Firebase on iOS does not know.
        ("INVALID_REFRESH_TOKEN", 17017), ("PROJECT_NUMBER_MISMATCH", 17023), ("CONFIGURATION_NOT_FOUND", 17006),
        ("RESET_PASSWORD_EXCEED_LIMIT", 17010), ("REJECTED_CREDENTIAL", 17075), ("RECAPTCHA_NOT_ENABLED", 17200),
        ("MISSING_RECAPTCHA_TOKEN", 17201), ("INVALID_RECAPTCHA_TOKEN", 17202), ("INVALID_RECAPTCHA_ACTION", 17203),
        ("MISSING_CLIENT_TYPE", 17204), ("MISSING_RECAPTCHA_VERSION", 17205), ("INVALID_RECAPTCHA_VERSION", 17206),
        ("INVALID_REQ_TYPE", 17207), ("USER_CANCELLED", 17058), ("SOMETHING_NEW_AND_STRANGE", 17999),
    ]

    @Test("Each error word has its code, alone and before a detail, with and without spaces", arguments: words)
    func word(_ word: String, _ number: Int) async throws {
        for message in [word, "\(word) : ada@example.com", "\(word):ada@example.com: more"] {
            let world = FirebaseFixture()
            world.firebase.refuse("accounts:lookup", message)
            let error = try await error(of: world)
            #expect(error.code.rawValue == number)
            #expect(error.message.contains(word))
            #expect(
                !"\(error) \(String(reflecting: error.underlying)) \(String(describing: error.details))".contains(
                    "ada@"
                )
            )
            let refusal = try #require(error.underlying as? IdentityToolkitRefusal)
            #expect(refusal.word == word && refusal.status == 400)
            #expect(refusal.text.map { $0.hasPrefix("ada@example.com") } == (message == word ? nil : true))
        }
    }

    @Test("A missing password is wrong at a sign-in and weak in a sign-up")
    func missingPassword() async throws {
        let world = FirebaseFixture()
        world.firebase.refuse("accounts:signInWithPassword", "MISSING_PASSWORD")
        world.firebase.refuse("accounts:signUp", "MISSING_PASSWORD")
        let toolkit = world.toolkit()
        await expectFailure(.wrongPassword) {
            try await toolkit.signIn(
                with: EmailAuthProvider.credential(withEmail: "a@b.c", password: ""),
                tenantID: nil
            )
        }
        await expectFailure(.weakPassword) {
            try await toolkit.createUser(withEmail: "a@b.c", password: "", tenantID: nil)
        }
    }

    @Test(
        "Google's reason takes precedence over the word, and the word over the status",
        arguments: [
            (
                "API key not valid. Please pass a valid API key.", 400,
                #", "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]"#, 17023
            ),
            ("Bad Request", 400, #", "errors": [{"reason": "keyInvalid"}]"#, 17023),
            ("USER_DISABLED", 400, #", "errors": [{"reason": "keyInvalid"}]"#, 17005),
            ("USER_DISABLED", 403, #", "details": [{"reason": "API_KEY_IOS_APP_BLOCKED"}]"#, 17028),
            (
                "Requests from this iOS client application <empty> are blocked.", 403,
                #", "status": "PERMISSION_DENIED", "details": [{"@type": "x"}, {"reason": "API_KEY_IOS_APP_BLOCKED"}]"#,
                17028
            ),
            ("Blocked.", 403, #", "details": [{"reason": "API_KEY_ANDROID_APP_BLOCKED"}]"#, 17028),
            ("Blocked.", 403, #", "details": [{"reason": "API_KEY_HTTP_REFERRER_BLOCKED"}]"#, 17028),
            ("Blocked.", 403, #", "details": [{"reason": "API_KEY_IP_ADDRESS_BLOCKED"}]"#, 17028),
            ("Blocked.", 403, #", "details": [{"reason": "API_KEY_SERVICE_BLOCKED"}]"#, 17028),
            ("Blocked.", 403, #", "errors": [{"reason": "ipRefererBlocked"}]"#, 17028),
            ("Slow down.", 429, "", 17010), ("Slow down.", 400, #", "status": "RESOURCE_EXHAUSTED""#, 17010),
            ("Oops.", 503, "", 17020), ("EMAIL_EXISTS", 500, "", 17007), ("Oops.", 400, "", 17999),
        ] as [(String, Int, String, Int)]
    )
    func order(_ message: String, _ status: Int, _ more: String, _ number: Int) async throws {
        let world = FirebaseFixture()
        world.firebase.answer("accounts:lookup", .refusal(message, status: status, more))
        #expect(try await error(of: world).code.rawValue == number)
    }

    @Test("An unknown sentence is kept, but not quoted in a message")
    func sentence() async throws {
        let world = FirebaseFixture()
        world.firebase.refuse("accounts:lookup", "Invalid JSON payload received: ada@example.com is odd")
        let error = try await error(of: world)
        let refusal = try #require(error.underlying as? IdentityToolkitRefusal)
        #expect(error.code == .internalError && refusal.word == nil)
        #expect(refusal.text == "Invalid JSON payload received: ada@example.com is odd")
        #expect(!"\(error) \(refusal)".contains("ada@"))
    }

    @Test("Password requirements are returned as a list of sentences")
    func reasons() async throws {
        let rows: [(String, [String])] = [
            ("WEAK_PASSWORD : Password should be at least 6 characters", ["Password should be at least 6 characters"]),
            (
                "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [One digit, One capital letter]",
                ["One digit", "One capital letter"]
            ),
        ]
        for (message, expected) in rows {
            let world = FirebaseFixture()
            world.firebase.refuse("accounts:lookup", message)
            guard let reasons = try await error(of: world).details?.reasons else {
                Issue.record("there are no reasons")
                continue
            }
            #expect(reasons == expected)
        }
    }

    @Test(
        "The message of a project's function is kept, complete or not",
        arguments: [
            (
                #"HTTP Cloud Function returned an error: {"error": {"code": 403, "message": "No {a} \"b\"", "status": "PERMISSION_DENIED"}} tail }"#,
                BlockingFunctionRefusal(message: #"No {a} "b""#, status: "PERMISSION_DENIED", code: 403)
            ),
            (
                "Cloud function deadline exceeded.",
                BlockingFunctionRefusal(message: "Cloud function deadline exceeded.")
            ),
            (#"Broken: {"error": {"#, BlockingFunctionRefusal(message: #"Broken: {"error": {"#)),
        ]
    )
    func blockingFunction(_ detail: String, _ expected: BlockingFunctionRefusal) async throws {
        let world = FirebaseFixture()
        world.firebase.refuse("accounts:lookup", "BLOCKING_FUNCTION_ERROR_RESPONSE : \(detail)")
        guard let refusal = try await error(of: world).details?.blockingFunction else {
            Issue.record("there is no refusal")
            return
        }
        #expect(refusal == expected)
    }

    private func error(of world: FirebaseFixture) async throws -> AuthError {
        let toolkit = world.toolkit()
        let tokens = UserTokens(idToken: "a.b.c", refreshToken: "r", expirationDate: .distantFuture)
        do throws(AuthError) {
            _ = try await toolkit.profile(for: tokens)
        } catch {
            return error
        }
        throw Unexpected()
    }

    private struct Unexpected: Error {}
}
