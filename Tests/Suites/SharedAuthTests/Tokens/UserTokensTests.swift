import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth

struct UserTokensTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func access(_ token: String, _ scopes: Set<String>, lasting lifetime: Double = 3600) -> AccessToken {
        AccessToken(token: token, scopes: scopes, expirationDate: now.addingTimeInterval(lifetime))
    }

    private func tokens(_ accessTokens: AccessToken..., idToken: String? = nil) -> UserTokens {
        UserTokens(idToken: idToken, refreshToken: "r", expirationDate: now, accessTokens: accessTokens)
    }

    @Test("Token choice: exactly the scopes, else more of them; without scopes, the first")
    func choice() {
        let all = tokens(access("1", ["a", "b", "c"]), access("2", ["a", "b"]), access("3", ["a"]))
        #expect(all.accessToken(for: [])?.token == "1")
        #expect(all.accessToken(for: ["a"])?.token == "3")
        #expect(all.accessToken(for: ["b"])?.token == "1")
        #expect(all.accessToken(for: ["a", "b"])?.token == "2")
        #expect(all.accessToken(for: ["d"]) == nil)
        #expect(tokens().accessToken(for: []) == nil)
    }

    @Test(
        "A refresh of the grant replaces the first token and keeps others until expiry"
    )
    func refreshed() {
        let before = tokens(access("1", ["a"], lasting: -1), access("2", ["b"]), access("3", ["c"], lasting: -1))
        let after = before.refreshed(by: tokens(access("4", ["a"])), for: [], at: now)
        #expect(after.accessTokens.map(\.token) == ["4", "2"])
        #expect(after.expirationDate == now.addingTimeInterval(3600))
        #expect(after.issueDate == now)
        // A server may grant less than before.
        let less = before.refreshed(by: tokens(access("5", ["e"])), for: [], at: now)
        #expect(less.accessTokens.map(\.token) == ["5", "2"])
    }

    @Test("A refresh for other scopes keeps the grant's first token, even an expired one")
    func refreshedForScopes() {
        let before = tokens(access("1", ["a"], lasting: -1), access("2", ["b"]))
        let after = before.refreshed(by: tokens(access("3", ["b"]), idToken: "i"), for: ["b"], at: now)
        #expect(after.accessTokens.map(\.token) == ["1", "3"])
        #expect(after.idToken == "i" && after.expirationDate == now)
        let first = tokens().refreshed(by: tokens(access("3", ["b"])), for: ["b"], at: now)
        #expect(first.accessTokens.map(\.token) == ["3"])
        let opaque = before.refreshed(by: tokens(access("3", ["b"])), for: ["b"], at: now)
        #expect(opaque.expirationDate == now.addingTimeInterval(-1))
    }

    @Test("Sixteen access tokens are kept: the first, and the newest of the others")
    func limit() {
        var all = tokens(access("first", ["a"]))
        for number in 0..<40 {
            all = all.refreshed(by: tokens(access("\(number)", ["s\(number)"])), for: ["s\(number)"], at: now)
        }
        #expect(all.accessTokens.count == 16)
        #expect(all.accessTokens.prefix(2).map(\.token) == ["first", "39"])
    }

    @Test("No token, nonce, address or reason is printed")
    func printing() {
        let credential = OAuthCredential(
            providerID: "example.org",
            idToken: "secret-1",
            rawNonce: "secret-2",
            accessToken: access("secret-3", ["secret-4"]),
            refreshToken: "secret-5"
        )
        let values: [Any] = [
            credential, access("secret-3", ["secret-4"]), tokens(access("secret-3", []), idToken: "secret-1"),
            OAuthProvider.credential(credential),
            AuthErrorDetails.credential(email: "secret-6@example.com", credential),
            AuthErrorDetails.reasons(["secret-7"]),
            AuthError(
                .credentialAlreadyInUse,
                "In use.",
                details: .credential(email: "secret-6@example.com", credential)
            ),
            EmailAuthProvider.credential(withEmail: "secret-6@example.com", link: "secret-8"),
            IdentityGrant(
                profile: UserProfile(uid: "x"),
                tokens: tokens(idToken: "secret-1"),
                isNewUser: false,
                details: IdentityGrant.Details(
                    username: "secret-9",
                    profile: ["a": .string("secret-9")],
                    credential: credential
                )
            ),
            ActionCodeInfo(operation: .verifyEmail, email: "secret-6@example.com"),
            AccountChange(
                profile: UserProfile(uid: "x", email: "secret-6@example.com"),
                tokens: tokens(idToken: "secret-1")
            ),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [dumped, "\(value)", String(reflecting: value)] {
                #expect(!text.contains("secret-"), "\(text)")
            }
        }
    }
}
