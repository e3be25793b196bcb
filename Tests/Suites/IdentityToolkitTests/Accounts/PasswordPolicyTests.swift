import Foundation
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

/// Answers of a project about an address and about passwords before a password is sent.
struct PasswordPolicyTests {
    private let world = FirebaseFixture()
    private static let strict =
        #"{"customStrengthOptions": {"minPasswordLength": 8, "maxPasswordLength": "12", "containsLowercaseCharacter": true, "containsUppercaseCharacter": true, "containsNumericCharacter": true, "containsNonAlphanumericCharacter": true}, "allowedNonAlphanumericCharacters": ["!", "~"], "enforcementState": "ENFORCE", "forceUpgradeOnSignin": true, "schemaVersion": 1}"#

    @Test(
        "The ways to sign in of an address are Firebase's; without an account, none"
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
        // A project that protects addresses leaves them out.
        world.firebase.answer("accounts:createAuthUri", .json(#"{"sessionId": "S"}"#))
        #expect(try await auth.fetchSignInMethods(forEmail: "ada@example.com").isEmpty)
    }

    @Test("Completion handlers get the same")
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

    @Test("The policy is asked for with the key and the tenant, without a body")
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
        "A password is compared with each thing that the policy asks for",
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

    @Test("Only a policy's own rules are compared; every project wants six characters")
    func plain() async throws {
        world.firebase.answer("passwordPolicy", .json(#"{"enforcementState": "OFF"}"#))
        let auth = try world.app()
        let status = try await auth.validatePassword("secret")
        #expect(status.isValid && !status.passwordPolicy.isEnforced)
        #expect(status.meetsMaxPasswordLength == nil && status.containsLowercaseLetter == nil)
        #expect(try await auth.validatePassword("short").isValid == false)
    }

    @Test("A policy of a newer kind is not guessed at")
    func newer() async throws {
        world.firebase.answer("passwordPolicy", .json(#"{"schemaVersion": 2}"#))
        await expectFailure(.operationNotAllowed) { try await world.app().validatePassword("secret") }
    }
}
