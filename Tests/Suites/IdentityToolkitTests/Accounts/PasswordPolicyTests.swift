import Foundation
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

/// Requests about an address and about passwords, made before a password is sent.
struct PasswordPolicyTests {
    private let world = FirebaseFixture()
    private static let strict =
        #"{"customStrengthOptions": {"minPasswordLength": 8, "maxPasswordLength": "12", "containsLowercaseCharacter": true, "containsUppercaseCharacter": true, "containsNumericCharacter": true, "containsNonAlphanumericCharacter": true}, "allowedNonAlphanumericCharacters": ["!", "~"], "enforcementState": "ENFORCE", "forceUpgradeOnSignin": true, "schemaVersion": 1}"#

    @Test(
        "An address has Firebase's sign-in methods; without an account it has none"
    )
    func methods() async throws {
        let (auth, _) = try await world.signedIn()
        #expect(try await auth.fetchSignInMethods(forEmail: "ada@example.com") == ["password"])
        #expect(
            world.firebase.last("accounts:createAuthUri")?.json
                == JSONValue(json: #"{"identifier": "ada@example.com", "continueUri": "http://localhost"}"#)
        )
        #expect(try await auth.fetchSignInMethods(forEmail: "eve@example.com").isEmpty)
        await expectFailure(.invalidEmail) { try await auth.fetchSignInMethods(forEmail: "nonsense") }
        auth.tenantID = "tenant"
        #expect(try await auth.fetchSignInMethods(forEmail: "ada@example.com").isEmpty)
        #expect(world.firebase.last("accounts:createAuthUri")?.json?["tenantId"] == .string("tenant"))
        // A project that protects addresses omits the methods.
        world.firebase.answer("accounts:createAuthUri", .json(#"{"sessionId": "S"}"#))
        #expect(try await auth.fetchSignInMethods(forEmail: "ada@example.com").isEmpty)
    }

    @Test("Completion handlers have the same results")
    func completion() async throws {
        let (auth, _) = try await world.signedIn()
        let methods = await withCheckedContinuation { continuation in
            auth.fetchSignInMethods(forEmail: "ada@example.com") { methods, error in
                continuation.resume(returning: error == nil ? methods : nil)
            }
        }
        #expect(methods == ["password"])
        world.firebase.answer("passwordPolicy", .json(Self.strict))
        let status = await withCheckedContinuation { continuation in
            auth.validatePassword("Abcdef1") { status, _ in continuation.resume(returning: status) }
        }
        #expect(status?.isValid == false && status?.meetsMinPasswordLength == false)
        #expect(status?.containsUppercaseLetter == true)
    }

    @Test("The policy is requested with key and tenant, without a body")
    func request() async throws {
        let auth = try world.app()
        world.firebase.answer("passwordPolicy", .json(Self.strict))
        let policy = try await auth.passwordPolicy()
        let sent = try #require(world.firebase.last("passwordPolicy"))
        #expect(sent.url == "https://identitytoolkit.googleapis.com/v2/passwordPolicy?key=KEY" && sent.body.isEmpty)
        #expect(policy.minPasswordLength == 8 && policy.maxPasswordLength == 12)
        #expect(policy.isEnforced && policy.forceUpgradeOnSignIn)
        auth.tenantID = "a tenant"
        _ = try await auth.passwordPolicy()
        #expect(world.firebase.last("passwordPolicy")?.url.hasSuffix("?key=KEY&tenantId=a%20tenant") == true)
    }

    @Test(
        "A password is compared with each requirement of the policy",
        arguments: [
            ("Abcdef1!", ""), ("Abcde1!", "min"), ("Abcdefghijk1!", "max"), ("ABCDEF1!", "lower"),
            ("abcdef1!", "upper"),
            ("Abcdefg!", "digit"), ("Abcdefg1", "other"), ("Abcdef1?", "other"), ("Äbcdef1!", "upper"),
            ("", "min lower upper digit other"),
        ]
    )
    func validation(_ password: String, _ missing: String) async throws {
        world.firebase.answer("passwordPolicy", .json(Self.strict))
        let auth = try world.app()
        let status = try await auth.validatePassword(password)
        let found = [
            ("min", status.meetsMinPasswordLength), ("max", status.meetsMaxPasswordLength),
            ("lower", status.containsLowercaseLetter), ("upper", status.containsUppercaseLetter),
            ("digit", status.containsNumericCharacter), ("other", status.containsNonAlphanumericCharacter),
        ]
        #expect(found.filter { $0.1 == false }.map(\.0).joined(separator: " ") == missing)
        #expect(status.isValid == missing.isEmpty)
        #expect(world.firebase.sent.allSatisfy { !$0.text.contains("bcdef") && !$0.url.contains("bcdef") })
    }

    @Test("Only the policy's own rules are compared; every project requires six characters")
    func plain() async throws {
        world.firebase.answer("passwordPolicy", .json(#"{"enforcementState": "OFF"}"#))
        let auth = try world.app()
        let status = try await auth.validatePassword("secret")
        #expect(status.isValid && !status.passwordPolicy.isEnforced)
        #expect(status.meetsMaxPasswordLength == nil && status.containsLowercaseLetter == nil)
        #expect(try await auth.validatePassword("short").isValid == false)
    }

    @Test("A policy of a newer version is not interpreted")
    func newer() async throws {
        world.firebase.answer("passwordPolicy", .json(#"{"schemaVersion": 2}"#))
        await expectFailure(.operationNotAllowed) { try await world.app().validatePassword("secret") }
    }
}
