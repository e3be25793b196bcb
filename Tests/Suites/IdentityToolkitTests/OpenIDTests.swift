import Crypto
import Foundation
import OpenIDConnect
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

/// Sign-ins at an OpenID provider that the app itself calls, with an ID token that Firebase accepts.
struct OpenIDTests {
    private let world = FirebaseFixture()
    private let issuer = IssuerSite()

    private func signIn(_ person: BrowserUser) -> OpenIDSignIn {
        var client = OpenIDClient(issuerURL: IssuerSite.url, clientID: "desktop")
        client.providerID = "oidc.company"
        return OpenIDSignIn(OpenIDConnect(client, http: HTTPClient(transport: issuer)), browser: person.settings)
    }

    private func form(_ sent: FirebaseTransport.Sent?) -> [String: String] {
        let items = sent?.json?["postBody"]?.string?.split(separator: "&") ?? []
        let pairs = items.map {
            $0.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
        }
        return Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { $1 }
    }

    private func hexadecimal(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    @Test("Firebase receives the ID token and the raw nonce; the provider got its hash")
    func signIn() async throws {
        let person = issuer.person
        let auth = try world.app()
        let result = try await auth.signIn(with: signIn(person))
        #expect(issuer.last["code_challenge_method"] == "S256" && issuer.last["response_type"] == "code")
        let sent = world.firebase.last("accounts:signInWithIdp")
        let form = form(sent)
        #expect(Set(form.keys) == ["providerId", "id_token", "access_token", "nonce"])
        #expect(form["providerId"] == "oidc.company" && form["access_token"] == "there")
        let nonce = try #require(form["nonce"])
        #expect(nonce.count >= 22 && hexadecimal(nonce) == issuer.last["nonce"])
        #expect(form["id_token"]?.split(separator: ".").count == 3)
        #expect(sent?.json?["requestUri"] == .string("http://localhost"))
        #expect(auth.currentUser?.uid == result.user.uid && result.additionalUserInfo?.providerID == "oidc.company")
    }

    @Test("An anonymous user links an OpenID account and keeps the uid")
    func linking() async throws {
        let auth = try world.app()
        let user = try await auth.signInAnonymously().user
        let uid = user.uid
        let result = try await user.link(with: signIn(issuer.person))
        #expect(result.user === user && user.uid == uid && !user.isAnonymous)
        #expect(user.providerData.map(\.providerID) == ["oidc.company"])
        #expect(form(world.firebase.last("accounts:signInWithIdp"))["nonce"] != nil)
    }

    @Test("A nonce that Firebase refuses is reported as such, and no user is signed in")
    func nonce() async throws {
        let auth = try world.app()
        world.firebase.refuse(
            "accounts:signInWithIdp",
            "MISSING_OR_INVALID_NONCE : The nonce is not that of the token."
        )
        await expectFailure(.missingOrInvalidNonce) { try await auth.signIn(with: signIn(issuer.person)) }
        #expect(auth.currentUser == nil)
    }
}
