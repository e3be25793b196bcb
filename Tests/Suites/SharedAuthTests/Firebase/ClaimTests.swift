import FoundationEssentials
import SharedAuth
import TestSupport
import Testing

/// Tests token claims and service profiles, read with `as?` as in Firebase apps.
struct ClaimTests {
    @Test("Claims are Swift strings, Booleans, integers, doubles, arrays and dictionaries")
    func claims() async throws {
        let token = idToken(
            """
            {"exp": 2000000000, "iat": 1900000000.5, "sub": "x", "admin": true, "level": 7, "share": 0.5, "none": null,
            "roles": ["editor", "reader"], "firebase": {"sign_in_provider": "custom", "identities": {"email": ["a@b.example"]}}}
            """
        )
        let result = try await user(idToken: token).getIDTokenResult()
        #expect(result.claims["admin"] as? Bool == true)
        #expect(result.claims["sub"] as? String == "x")
        #expect(result.claims["level"] as? Int == 7)
        #expect(result.claims["exp"] as? Int == 2_000_000_000)
        #expect(result.claims["share"] as? Double == 0.5 && result.claims["share"] as? Int == nil)
        #expect(result.claims["roles"] as? [String] == ["editor", "reader"])
        let firebase = result.claims["firebase"] as? [String: Any]
        #expect(firebase?["sign_in_provider"] as? String == "custom")
        #expect((firebase?["identities"] as? [String: Any])?["email"] as? [String] == ["a@b.example"])
        #expect(result.claims["none"] as? String == nil && result.claims["none"] != nil)
        #expect(result.claims["nothing"] == nil)
        #expect(result.jsonClaims["admin"] == .bool(true))

        // Firebase's type. The values here can also be passed to another actor.
        let claims: [String: Any] = result.claims
        #expect(claims["admin"] as? Bool == true)
        let all: [Any]? = claims["roles"] as? [Any]
        #expect(all?.count == 2)
        let isAdmin = await Task { result.claims["admin"] as? Bool }.value
        #expect(isAdmin == true)
    }

    @Test("A service's profile of the user has plain Swift values, as claims have")
    func profile() async throws {
        let identity = ScriptedIdentity()
        identity.expect(
            IdentityGrant(
                profile: UserProfile(uid: "x"),
                tokens: UserTokens(idToken: "i", refreshToken: "r", expirationDate: .distantFuture),
                isNewUser: true,
                details: IdentityGrant.Details(
                    username: "ada",
                    profile: [
                        "login": .string("ada"), "id": .number(7), "plan": .object(["name": .string("free")]),
                        "site_admin": .bool(false),
                    ]
                )
            )
        )
        let auth = try auth(identity)
        let credential = OAuthCredential(providerID: "github.com", idToken: "t")
        let info = try #require(try await auth.signIn(with: credential).additionalUserInfo)
        #expect(info.profile?["login"] as? String == "ada")
        #expect(info.profile?["id"] as? Int == 7)
        #expect(info.profile?["site_admin"] as? Bool == false)
        #expect((info.profile?["plan"] as? [String: Any])?["name"] as? String == "free")
        #expect(info.newUser() && info.providerID == "github.com")
        let profile: [String: Any]? = info.profile
        #expect(profile?.count == 4)
        #expect(info.jsonProfile?["id"] == .number(7))
    }

    private func user(idToken: String) async throws -> User {
        let identity = ScriptedIdentity()
        identity.expect(
            IdentityGrant(
                profile: UserProfile(uid: "x"),
                tokens: UserTokens(idToken: idToken, refreshToken: "r", expirationDate: .distantFuture),
                isNewUser: false
            )
        )
        return try await auth(identity).signInAnonymously().user
    }

    private func auth(_ identity: ScriptedIdentity) throws -> Auth {
        let app = try AuthApp.configure(
            name: "claims-\(UUID())",
            AuthApp.Options(
                appID: "com.example.Claims",
                identityProvider: identity.source,
                store: .inMemory(),
                stateDirectory: TestDirectory.newPath()
            )
        )
        return Auth.auth(app: app)
    }

    private func idToken(_ claims: String) -> String {
        let parts = [#"{"alg":"none"}"#, claims].map { part in
            Data(part.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
                .replacing("/", with: "_")
        }
        return parts.joined(separator: ".") + "."
    }
}
