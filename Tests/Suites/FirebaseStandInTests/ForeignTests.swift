import Crypto
import FirebaseStandInServer
import FoundationEssentials
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

@Suite("Tokens of other services at the stand-in")
struct ForeignTests {
    private let project: Project
    private let toolkit: IdentityToolkit

    init() throws {
        project = try Project()
        toolkit = project.toolkit()
    }

    private func credential(
        _ subject: String = "g-1",
        nonce: String? = nil,
        adjust: (inout ForeignTokenOrder) -> Void = { _ in }
    ) async throws -> AuthCredential {
        var order = ForeignTokenOrder(providerID: "google.com", subject: subject)
        order.email = "ada@example.com"
        adjust(&order)
        let token = try await project.standIn.mint(order)
        return OAuthProvider.credential(providerID: .google, idToken: token, rawNonce: nonce)
    }

    private func hash(_ nonce: String) -> String {
        SHA256.hash(data: Array(nonce.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("A foreign token signs in if its nonce is the hash of the one sent")
    func nonce() async throws {
        let good = try await credential(nonce: "raw") { $0.nonce = hash("raw") }
        let grant = try await toolkit.signIn(with: good, tenantID: nil)
        #expect(grant.isNewUser && grant.profile.email == "ada@example.com" && grant.profile.isEmailVerified)
        #expect(grant.profile.providerData.map(\.providerID) == ["google.com"])
        for wrong in [
            try await credential(nonce: "raw") { $0.nonce = "raw" }, try await credential { $0.nonce = hash("raw") },
            try await credential(nonce: "raw"),
        ] {
            await expectFailure(.missingOrInvalidNonce) { try await toolkit.signIn(with: wrong, tenantID: nil) }
        }
    }

    @Test("A foreign token of another app or issuer, expired or forged, is refused")
    func checks() async throws {
        let expired = try await credential { $0.seconds = 0 }
        let other = try await credential { $0.audience = "another-client" }
        let foreign = try await credential { $0.providerID = "oidc.company" }
        let own = try await project.signUp("bo@example.com").tokens.idToken ?? ""
        for wrong in [expired, other, foreign, OAuthProvider.credential(providerID: .google, idToken: own)] {
            await expectFailure(.invalidCredential) { try await toolkit.signIn(with: wrong, tenantID: nil) }
        }
    }

    @Test("Reauthentication with an unknown credential creates no account")
    func noCreation() async throws {
        let grant = try await project.signUp("bo@example.com")
        let stranger = try await credential()
        await expectFailure(.userMismatch) { try await toolkit.reauthenticate(with: stranger, for: grant.profile) }
        let users = try await project.administer("lookup", ["email": .array([.string("ada@example.com")])])
        #expect(users.objects("users").isEmpty)
    }

    @Test("An unverified address is confirmed through the account's existing provider")
    func confirmation() async throws {
        let account = try await project.signUp()
        let unverified = try await credential { $0.isEmailVerified = false }
        let error = await expectFailure(.accountExistsWithDifferentCredential) {
            try await toolkit.signIn(with: unverified, tenantID: nil)
        }
        guard let pending = error?.details?.credential else {
            Issue.record("there is no credential to link")
            return
        }
        let linked = try await toolkit.link(OAuthProvider.credential(pending), to: account.tokens)
        #expect(linked.profile.uid == account.profile.uid)
        #expect(Set(linked.profile.providerData.map(\.providerID)) == ["password", "google.com"])
    }

    @Test("A verified address takes over an unverified account and ends its sessions")
    func takeOver() async throws {
        let squatter = try await project.signUp()
        let grant = try await toolkit.signIn(with: try await credential(), tenantID: nil)
        #expect(grant.profile.uid == squatter.profile.uid)
        await expectFailure(.userTokenExpired) { try await toolkit.refresh(squatter.tokens, scopes: []) }
        let password = EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret-1")
        await expectFailure(.invalidCredential) { try await toolkit.signIn(with: password, tenantID: nil) }
    }

    @Test("A credential of another account is not linked, but signs in to that account")
    func alreadyLinked() async throws {
        let owner = try await toolkit.signIn(with: try await credential(), tenantID: nil)
        let anonymous = try await toolkit.signInAnonymously(tenantID: nil)
        let error = await expectFailure(.credentialAlreadyInUse) {
            try await toolkit.link(try await credential(), to: anonymous.tokens)
        }
        guard let email = error?.details?.email, let updated = error?.details?.credential else {
            Issue.record("there is no credential to sign in with")
            return
        }
        #expect(email == "ada@example.com")
        let grant = try await toolkit.signIn(with: OAuthProvider.credential(updated), tenantID: nil)
        #expect(grant.profile.uid == owner.profile.uid)
    }

    @Test("A service without ID tokens signs in through the stand-in's page, once")
    func redirect() async throws {
        let start = try await project.call(
            "v1/accounts:createAuthUri",
            [
                "providerId": .string("github.com"), "continueUri": .string("http://127.0.0.1:1234/back"),
                "authFlowType": .string("CODE_FLOW"),
            ]
        )
        let address = try #require(start.string("authUri"))
        #expect(try await project.page(address).status == 200)
        let back = try await project.page("\(address)&subject=gh-1&email=ada%40example.com&name=Ada")
        let target = try #require(back.headers["Location"])
        #expect(target.hasPrefix("http://127.0.0.1:1234/back?"))
        func finish(_ session: String) async throws -> JSONObject {
            try await project.call(
                "v1/accounts:signInWithIdp",
                [
                    "requestUri": .string(target), "sessionId": .string(session), "returnSecureToken": .bool(true),
                    "postBody": .string("providerId=github.com"),
                ]
            )
        }
        #expect(try await finish("guess").refusal == "INVALID_SESSION_INFO")
        let session = try #require(start.string("sessionId"))
        let answer = try await finish(session)
        #expect(answer.string("providerId") == "github.com" && answer.string("idToken") != nil)
        #expect(try await finish(session).refusal == "INVALID_SESSION_INFO")
    }
}
