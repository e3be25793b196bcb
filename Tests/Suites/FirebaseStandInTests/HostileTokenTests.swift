import FirebaseStandInServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

/// Sends hostile tokens in every place where the stand-in reads one. Each test reads a real token afterwards.
@Suite("Hostile tokens at the stand-in")
struct HostileTokenTests {
    private let project: Project

    init() throws { project = try Project() }

    /// Expects a refusal, and a stand-in that still answers.
    private func expectRefusal(_ call: String, _ word: String, _ members: [String: JSONValue]) async throws {
        #expect(try await project.call(call, members).refusal?.hasPrefix(word) == true)
        #expect(try await project.send(.get, "/stand-in/settings").members.isEmpty == false)
    }

    @Test(
        "A hostile ID token is refused by every call that takes one",
        arguments: [
            "v1/accounts:lookup", "v1/accounts:update", "v1/accounts:delete", "v1/accounts:signUp",
            "v1/accounts:sendOobCode", "v1/accounts:signInWithEmailLink", "v1/accounts:signInWithIdp",
            "v1/accounts:signInWithCustomToken", "v2/accounts:revokeToken", "v2/accounts/mfaEnrollment:start",
            "v2/accounts/mfaEnrollment:finalize", "v2/accounts/mfaEnrollment:withdraw",
        ]
    )
    func idToken(_ call: String) async throws {
        for token in HostileToken.all {
            try await expectRefusal(call, "INVALID_ID_TOKEN", ["idToken": .string(token.text)])
        }
    }

    @Test("A hostile custom token is refused", arguments: HostileToken.all)
    func customToken(_ token: HostileToken) async throws {
        let call = "v1/accounts:signInWithCustomToken"
        try await expectRefusal(call, "INVALID_CUSTOM_TOKEN", ["token": .string(token.text)])
    }

    @Test("A hostile ID token of another service is refused", arguments: HostileToken.all)
    func foreignToken(_ token: HostileToken) async throws {
        let form = FormEncoding.encode([("id_token", token.text), ("providerId", "google.com")])
        let members: [String: JSONValue] = ["requestUri": .string("http://localhost"), "postBody": .string(form)]
        try await expectRefusal("v1/accounts:signInWithIdp", "INVALID_IDP_RESPONSE", members)
    }
}
