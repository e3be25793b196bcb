import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import LocalIdentity

struct SecrecyTests {
    let world = LocalIdentityFixture()

    @Test("An identity provider, a grant and an error print nothing secret")
    func printing() async throws {
        let identity = world.identity()
        let grant = try await identity.createUser(withEmail: "ada@example.com", password: "secret-1", tenantID: nil)
        let idToken = try #require(grant.tokens.idToken)
        let refreshToken = try #require(grant.tokens.refreshToken)
        _ = try await identity.updateProfile(idToken: idToken, UserProfileChange(displayName: .set("Lovelace")))
        var texts: [String] = []
        for value in [identity, grant, LocalIdentity.Settings()] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            texts += [dumped, String(describing: value), String(reflecting: value)]
        }
        #expect(Mirror(reflecting: identity).children.map(\.label) == ["project"])
        let garbled = String(idToken.dropLast(4)) + "AAAA"
        let failures: [AuthError?] = [
            await expectFailure(.emailAlreadyInUse) {
                try await identity.createUser(withEmail: "ada@example.com", password: "secret-1", tenantID: nil)
            },
            await expectFailure(.wrongPassword) {
                try await identity.signIn(with: .password("ada@example.com", "secret-2"), tenantID: nil)
            },
            await expectFailure(.userNotFound) {
                try await identity.signIn(with: .password("ada@example.org", "secret-2"), tenantID: nil)
            },
            await expectFailure(.invalidEmail) {
                try await identity.signIn(with: .password("ada@example@org", "secret-2"), tenantID: nil)
            },
            await expectFailure(.invalidUserToken) {
                try await identity.profile(idToken: garbled)
            },
            await expectFailure(.invalidUserToken) {
                try await identity.refreshTokens(refreshToken + "A")
            },
        ]
        for failure in failures {
            let error = try #require(failure)
            var dumped = ""
            dump(error, to: &dumped)
            texts += [error.message, dumped, String(reflecting: error)]
        }
        let secrets = [
            "ada@example", "secret-1", "secret-2", "Lovelace", refreshToken, idToken,
            String(idToken.split(separator: ".")[1]), String(idToken.split(separator: ".")[2].prefix(20)),
        ]
        for text in texts {
            for secret in secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
        }
    }

    @Test("No password is stored, and no address is in a key")
    func stored() async throws {
        let identity = world.identity()
        _ = try await identity.createUser(withEmail: "ada@example.com", password: "secret-1", tenantID: nil)
        let texts = try world.storedText()
        #expect(texts.values.contains { $0.contains("ada@example.com") })
        #expect(!texts.values.joined().contains("secret-1"))
        #expect(!texts.values.joined().contains(Data("secret-1".utf8).base64EncodedString()))
        #expect(texts.keys.allSatisfy { $0.wholeMatch(of: /identity-(keys|accounts-\d\d)/) != nil })
    }
}
