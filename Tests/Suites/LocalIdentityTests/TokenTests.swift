import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import LocalIdentity

struct TokenTests {
    let world = LocalIdentityFixture()

    @Test("An anonymous user's ID token is signed with ES256 and has Firebase's claims")
    func anonymousClaims() async throws {
        let identity = world.identity()
        let grant = try await identity.signInAnonymously(tenantID: nil)
        let token = try SignedToken(grant.tokens.idToken)
        #expect(try token.isSigned(byOneOf: try await identity.publicKeys()))
        #expect(token.header["alg"] == .string("ES256"))
        #expect(token.header["typ"] == .string("JWT"))
        let uid = JSONValue.string(grant.profile.uid)
        #expect(
            token.claims == [
                "iss": .string("sharedauth-local:project"), "aud": .string("project"), "sub": uid, "user_id": uid,
                "iat": .number(1_800_000_000), "exp": .number(1_800_003_600), "auth_time": .number(1_800_000_000),
                "provider_id": .string("anonymous"),
                "firebase": .object(["identities": .object([:]), "sign_in_provider": .string("anonymous")]),
            ]
        )
        #expect(grant.tokens.expirationDate == Date(timeIntervalSince1970: 1_800_003_600))
    }

    @Test("A password user's ID token contains the address, the name and the photo")
    func passwordClaims() async throws {
        let identity = world.identity()
        let grant = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: "t-1")
        let photo = try #require(URL(string: "https://example.com/a.png"))
        _ = try await identity.updateProfile(
            idToken: grant.tokens.idToken,
            UserProfileChange(displayName: .set("Ada"), photoURL: .init(photo))
        )
        world.advance(by: 100)
        let tokens = try await identity.refreshTokens(grant.tokens.refreshToken)
        let token = try SignedToken(tokens.idToken)
        #expect(try token.isSigned(byOneOf: try await identity.publicKeys()))
        #expect(token.claims["email"] == .string("a@example.com"))
        #expect(token.claims["email_verified"] == .bool(false))
        #expect(token.claims["name"] == .string("Ada"))
        #expect(token.claims["picture"] == .string("https://example.com/a.png"))
        #expect(token.claims["auth_time"] == .number(1_800_000_000))
        #expect(token.claims["iat"] == .number(1_800_000_100))
        #expect(token.claims["provider_id"] == nil)
        #expect(
            token.claims["firebase"]
                == .object([
                    "identities": .object(["email": .array([.string("a@example.com")])]),
                    "sign_in_provider": .string("password"), "tenant": .string("t-1"),
                ])
        )
    }

    @Test("A reader of Firebase's ID tokens can read ours")
    func firebaseShape() async throws {
        let grant = try await world.identity().createUser(
            withEmail: "a@example.com",
            password: "secret-1",
            tenantID: "t-1"
        )
        let payload = try JSONEncoder().encode(try SignedToken(grant.tokens.idToken).claims)
        let claims = try JSONDecoder().decode(FirebaseClaims.self, from: payload)
        #expect(claims.user_id == grant.profile.uid && claims.sub == grant.profile.uid)
        #expect(Date(timeIntervalSince1970: TimeInterval(claims.exp)) == grant.tokens.expirationDate)
        #expect(Date(timeIntervalSince1970: TimeInterval(claims.auth_time)) == grant.profile.lastSignInDate)
        #expect(claims.firebase.sign_in_provider == "password")
        #expect(claims.firebase.tenant == "t-1")
        #expect(claims.firebase.identities == ["email": ["a@example.com"]])
    }

    /// The claims with the names and types of Firebase's documentation.
    private struct FirebaseClaims: Decodable {
        struct Firebase: Decodable {
            let identities: [String: [String]]
            let sign_in_provider: String
            let tenant: String?
        }

        let iss: String
        let aud: String
        let sub: String
        let user_id: String
        let exp: Int
        let iat: Int
        let auth_time: Int
        let firebase: Firebase
    }

    @Test("The key ID in a token is the published key's, the same in all providers")
    func keyName() async throws {
        let one = try await world.identity().signInAnonymously(tenantID: nil)
        let two = try await world.identity().signInAnonymously(tenantID: nil)
        let name = try SignedToken(one.tokens.idToken).header["kid"]
        #expect(name == (try SignedToken(two.tokens.idToken).header["kid"]))
        let set = try JSONDecoder().decode(
            [String: [[String: String]]].self,
            from: Data(try await world.identity().publicKeys().utf8)
        )
        let key = try #require(set["keys"]?.first)
        #expect(set["keys"]?.count == 1)
        #expect(key["kid"] == name?.string && key["alg"] == "ES256" && key["use"] == "sig" && key["d"] == nil)
    }

    @Test("An ID token is valid until it expires by the injected clock")
    func expiry() async throws {
        let identity = world.identity(lifetime: .seconds(90))
        let grant = try await identity.signInAnonymously(tenantID: nil)
        #expect(grant.tokens.expirationDate == Date(timeIntervalSince1970: 1_800_000_090))
        world.advance(by: 89)
        _ = try await identity.profile(idToken: grant.tokens.idToken)
        world.advance(by: 1)
        await expectFailure(.userTokenExpired) {
            try await identity.profile(idToken: grant.tokens.idToken)
        }
        await expectFailure(.userTokenExpired) {
            try await identity.updateProfile(idToken: grant.tokens.idToken, UserProfileChange(displayName: .set("x")))
        }
        await expectFailure(.userTokenExpired) {
            try await identity.deleteAccount(idToken: grant.tokens.idToken)
        }
        let fresh = try await identity.refreshTokens(grant.tokens.refreshToken)
        _ = try await identity.profile(idToken: fresh.idToken)
    }

    @Test("The lifetime is an hour unless set, and at least a second", arguments: [(0, 1), (-5, 1), (7, 7)])
    func lifetime(set: Int, given: Int) {
        #expect(LocalIdentity.Settings().tokenSeconds == 3600)
        #expect(LocalIdentity.Settings(tokenLifetime: .seconds(set)).tokenSeconds == given)
    }

    @Test("A garbled ID token, or one of another project, key or subject, is refused")
    func foreign() async throws {
        let identity = world.identity()
        let mine = try await identity.signInAnonymously(tenantID: nil)
        let idToken = try #require(mine.tokens.idToken)
        let parts = idToken.split(separator: ".").map(String.init)
        let victim = try await identity.signInAnonymously(tenantID: nil)
        let forged = Data("{\"alg\":\"none\",\"typ\":\"JWT\"}".utf8).base64EncodedString()
            .replacingOccurrences(of: "=", with: "")
        let victims = try #require(victim.tokens.idToken).split(separator: ".").map(String.init)
        let bad: [String?] =
            [
                nil, "", "x", "a.b.c", "..", mine.tokens.refreshToken, "\(parts[0]).\(parts[1]).",
                "\(parts[0]).\(parts[1])",
                "\(parts[0]).\(victims[1]).\(parts[2])", "\(forged).\(parts[1]).", "\(forged).\(parts[1]).\(parts[2])",
                idToken + "A", String(repeating: "é", count: 1000),
                try await world.identity("other").signInAnonymously(tenantID: nil).tokens.idToken,
                try await LocalIdentityFixture().identity().signInAnonymously(tenantID: nil).tokens.idToken,
            ] + HostileToken.all.map(\.text)
        for token in bad {
            await expectFailure(.invalidUserToken) {
                try await identity.profile(idToken: token)
            }
        }
        _ = try await identity.profile(idToken: mine.tokens.idToken)
    }

    @Test("A token signed with the project's key for another audience or issuer is refused")
    func audience() async throws {
        let identity = world.identity()
        let grant = try await identity.signInAnonymously(tenantID: nil)
        let keys = try await identity.records.keys()
        let account = try #require(try await world.shard(of: grant.profile.uid)[grant.profile.uid])
        let time = world.now.wholeSeconds
        let other = IDTokenClaims(account, project: "other", signedIn: time, issued: time, expires: time + 60)
        let token = try other.sign(keys)
        await expectFailure(.invalidUserToken) { try await identity.profile(idToken: token) }
    }
}
