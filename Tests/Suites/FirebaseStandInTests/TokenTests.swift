import Crypto
import CryptoExtras
import FirebaseStandInServer
import FoundationEssentials
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

@Suite("Tokens and sessions of the stand-in")
struct TokenTests {
    @Test("An ID token is signed with the served key and names its user")
    func signature() async throws {
        let project = try Project()
        let grant = try await project.signUp()
        let path = "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        let served = try #require(try await project.send(.get, path).objects("keys").first)
        let parts = try #require(grant.tokens.idToken).split(separator: ".").map(String.init)
        let bytes = try parts.map { try #require(Base64URL.decode($0.utf8)) }
        #expect(
            JSONObject(bytes[0])?.string("alg") == "RS256"
                && JSONObject(bytes[0])?.string("kid") == served.string("kid")
        )
        // Verified without the code that signed it.
        let numbers = try ["n", "e"].map { try #require(Base64URL.decode((served.string($0) ?? "").utf8)) }
        let key = try _RSA.Signing.PublicKey(n: numbers[0], e: numbers[1])
        let signature = _RSA.Signing.RSASignature(rawRepresentation: bytes[2])
        let digest = SHA256.hash(data: Array("\(parts[0]).\(parts[1])".utf8))
        #expect(key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5))
        let claims = try #require(JSONObject(bytes[1]))
        #expect(claims.string("iss") == "https://securetoken.google.com/stand-in" && claims.string("aud") == "stand-in")
        #expect(claims.string("sub") == grant.profile.uid && claims.string("user_id") == grant.profile.uid)
        #expect(claims.lifetime == 3600)
    }

    @Test(
        "An altered or unsigned ID token is refused",
        arguments: ["altered", "unsigned", "garbage"]
    )
    func forged(_ way: String) async throws {
        let project = try Project()
        let token = try #require(try await project.signUp().tokens.idToken)
        let parts = token.split(separator: ".").map(String.init)
        let none = Data(#"{"alg":"none","typ":"JWT"}"#.utf8).base64EncodedString().replacing("=", with: "")
        let forged =
            switch way {
            case "altered": "\(parts[0]).\(parts[1].dropLast(2))AA.\(parts[2])"
            case "unsigned": "\(none).\(parts[1])."
            default: "garbage"
            }
        let answer = try await project.call("v1/accounts:lookup", ["idToken": .string(forged)])
        #expect(answer.refusal == "INVALID_ID_TOKEN")
    }

    @Test("An ID token expires by the project's clock; the refresh token does not")
    func expiry() async throws {
        let project = try Project()
        let toolkit = project.toolkit()
        let tokens = try await project.signUp().tokens
        project.standIn.advanceClock(by: 3601)
        await expectFailure(.invalidUserToken) { try await toolkit.profile(for: tokens) }
        let next = try await toolkit.refresh(tokens, scopes: [])
        #expect(try await toolkit.profile(for: next).email == "ada@example.com")
    }

    @Test("A refresh token is valid once; a second use ends the session of both holders")
    func reuse() async throws {
        let project = try Project()
        let toolkit = project.toolkit()
        let stolen = try await project.signUp().tokens
        let next = try await toolkit.refresh(stolen, scopes: [])
        #expect(next.refreshToken != stolen.refreshToken)
        #expect(try await toolkit.profile(for: next).email != nil)
        await expectFailure(.userTokenExpired) { try await toolkit.refresh(stolen, scopes: []) }
        await expectFailure(.userTokenExpired) { try await toolkit.refresh(next, scopes: []) }
        await expectFailure(.userTokenExpired) { try await toolkit.profile(for: next) }
        #expect(project.standIn.events.all.count { $0.kind == .tokenReused } == 1)
    }

    @Test("Two ID tokens differ, even those of one second")
    func oneSecond() async throws {
        let project = try Project { $0.rotatesRefreshTokens = false }
        var tokens = try await project.signUp().tokens
        var seen: Set<String?> = [tokens.idToken]
        for _ in 1...5 {
            tokens = try await project.toolkit().refresh(tokens, scopes: [])
            #expect(seen.insert(tokens.idToken).inserted)
        }
    }

    @Test("Refresh tokens without rotation stay valid")
    func noRotation() async throws {
        let project = try Project { $0.rotatesRefreshTokens = false }
        let tokens = try await project.signUp().tokens
        for _ in 1...2 {
            let next = try await project.toolkit().refresh(tokens, scopes: [])
            #expect(next.refreshToken == tokens.refreshToken)
        }
    }

    @Test("A new password ends all sessions; the caller gets new tokens")
    func passwordChange() async throws {
        let project = try Project()
        let toolkit = project.toolkit()
        let one = try await project.signUp().tokens
        let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret-1")
        let other = try await toolkit.signIn(with: credential, tenantID: nil).tokens
        let change = try await toolkit.updatePassword(to: "secret-2", for: one)
        for ended in [one, other] {
            await expectFailure(.userTokenExpired) { try await toolkit.profile(for: ended) }
            await expectFailure(.userTokenExpired) { try await toolkit.refresh(ended, scopes: []) }
        }
        let renewed = try #require(change.tokens)
        _ = try await toolkit.refresh(renewed, scopes: [])
        await expectFailure(.invalidCredential) { try await toolkit.signIn(with: credential, tenantID: nil) }
    }

    enum End: String, CaseIterable {
        case revoked, disabled, deleted
    }

    @Test(
        "Revoked, disabled and deleted sessions have distinct errors",
        arguments: End.allCases
    )
    func ended(_ end: End) async throws {
        let project = try Project()
        let grant = try await project.signUp()
        let uid = JSONValue.string(grant.profile.uid)
        let code: AuthErrorCode
        switch end {
        case .revoked:
            try await project.administer("update", ["localId": uid, "validSince": .string("1")])
            code = .userTokenExpired
        case .disabled:
            try await project.administer("update", ["localId": uid, "disableUser": .bool(true)])
            code = .userDisabled
        case .deleted:
            try await project.administer("delete", ["localId": uid])
            code = .userNotFound
        }
        await expectFailure(code) { try await project.toolkit().profile(for: grant.tokens) }
        await expectFailure(code) { try await project.toolkit().refresh(grant.tokens, scopes: []) }
    }

    @Test("Calls that only the back end may make are refused to others")
    func noOwner() async throws {
        let project = try Project()
        let grant = try await project.signUp()
        let members: [String: JSONValue] = ["idToken": grant.idToken, "disableUser": .bool(true)]
        #expect(try await project.call("v1/accounts:update", members).refusal == "INSUFFICIENT_PERMISSION")
        let answer = try await project.call(
            "v1/projects/stand-in/accounts:delete",
            ["localId": .string(grant.profile.uid)]
        )
        #expect(answer.refusal != nil)
        #expect(try await project.toolkit().profile(for: grant.tokens).uid == grant.profile.uid)
    }

    @Test(
        "Sensitive changes need a recent sign-in, except for anonymous users"
    )
    func recency() async throws {
        let project = try Project()
        let toolkit = project.toolkit()
        let grant = try await project.signUp()
        let anonymous = try await toolkit.signInAnonymously(tenantID: nil)
        project.standIn.advanceClock(by: 301)
        let refreshed = try await toolkit.refresh(grant.tokens, scopes: [])
        await expectFailure(.requiresRecentLogin) { try await toolkit.updatePassword(to: "secret-2", for: refreshed) }
        await expectFailure(.requiresRecentLogin) { try await toolkit.deleteAccount(for: refreshed) }
        try await toolkit.deleteAccount(for: anonymous.tokens)
        let credential = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret-1")
        let again = try await toolkit.reauthenticate(with: credential, for: grant.profile)
        try await toolkit.deleteAccount(for: again.tokens)
    }
}
