import Foundation
import OpenIDConnect
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

extension AtForeignServers {
    struct FlowTests {
        @Test("A session by browser can be refreshed, reloaded and signed out", arguments: Foreign.allCases)
        func browser(_ server: Foreign) async throws {
            let identityProvider = OpenIDConnect(try server.client())
            let auth = try makeApp(identityProvider)
            let user = try await auth.signIn(with: server.signIn(identityProvider).credential()).user
            #expect(!user.uid.isEmpty)
            let (idToken, refreshToken) = (try await user.getIDToken(), user.refreshToken)
            #expect(idToken.split(separator: ".").count == 3)
            try await user.reload()
            if server == .nanoidp {
                _ = try await user.refreshed(from: idToken)
            } else {
                #expect(try await user.getIDToken(forcingRefresh: true) == idToken)
            }
            // One of the servers does not rotate refresh tokens.
            #expect(server == .mock || user.refreshToken != refreshToken)
            try auth.signOut()
            #expect(auth.currentUser == nil)
        }

        @Test(
            "A reused refresh token is refused, and so are its successors",
            arguments: [Foreign.nanoidp, .glewlwyd]
        )
        func reuse(_ server: Foreign) async throws {
            let identityProvider = OpenIDConnect(try server.client())
            let credential = try await server.signIn(identityProvider).credential()
            let first = try await identityProvider.signIn(with: credential, tenantID: nil).tokens
            let second = try await identityProvider.refresh(first, scopes: [])
            #expect(second.refreshToken != first.refreshToken)
            // Glewlwyd responds with an empty body, which does not say that the session has ended.
            let code: AuthErrorCode = server == .glewlwyd ? .requiresRecentLogin : .userTokenExpired
            await expectFailure(code) { try await identityProvider.refresh(first, scopes: []) }
            await expectFailure(code) { try await identityProvider.refresh(second, scopes: []) }
        }

        @Test("A user signs in by entering a device code elsewhere", arguments: [Foreign.nanoidp, .glewlwyd])
        func device(_ server: Foreign) async throws {
            let identityProvider = OpenIDConnect(try server.client())
            let auth = try makeApp(identityProvider)
            let signIn = DeviceSignIn(identityProvider) { code in
                Task {
                    do {
                        try await PersonProgram.act(
                            "code",
                            server.rawValue,
                            code.verificationURL.absoluteString,
                            code.userCode
                        )
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            let user = try await auth.signIn(with: signIn.credential()).user
            #expect(!user.uid.isEmpty)
            _ = try await user.getIDToken(forcingRefresh: true)
        }

        @Test("New keys of the provider are fetched, and the session continues")
        func keyRotation() async throws {
            let server = Foreign.nanoidp
            let identityProvider = OpenIDConnect(try server.client())
            let credential = try await server.signIn(identityProvider).credential()
            let tokens = try await identityProvider.signIn(with: credential, tenantID: nil).tokens
            let url = try #require(URL(string: "\(try server.issuerURL())/api/keys/rotate"))
            let answer = try await HTTPClient().send(HTTPRequest(.post, url), retrying: .never)
            #expect(answer.isSuccess, "\(String(decoding: answer.body, as: UTF8.self))")
            let next = try await identityProvider.refresh(tokens, scopes: [])
            #expect(next.idToken != tokens.idToken)
            _ = try await identityProvider.signIn(with: server.signIn(identityProvider).credential(), tenantID: nil)
        }

        @Test("After the revocation, the provider refuses the refresh token")
        func revocation() async throws {
            let server = Foreign.nanoidp
            let identityProvider = OpenIDConnect(try server.client())
            let credential = try await server.signIn(identityProvider).credential()
            let tokens = try await identityProvider.signIn(with: credential, tenantID: nil).tokens
            try await identityProvider.revoke(tokens)
            await expectFailure(.userTokenExpired) { try await identityProvider.refresh(tokens, scopes: []) }
            let page = try await identityProvider.endSessionURL()
            #expect(page?.absoluteString.hasSuffix("/logout?client_id=desktop") == true)
        }

        @Test("A client unknown to the provider is invalidClientID in the device flow")
        func unknownClient() async throws {
            var client = try Foreign.nanoidp.client()
            client = OpenIDClient(issuerURL: client.issuerURL, clientID: "nobody")
            let signIn = DeviceSignIn(OpenIDConnect(client)) { _ in }
            await expectFailure(.invalidClientID) { try await signIn.credential() }
        }

        @Test("A client secret is sent as the provider expects; a wrong one is invalidClientID")
        func secret() async throws {
            let server = Foreign.nanoidp
            for (secret, code) in [("not-so-secret", nil), ("wrong", AuthErrorCode.invalidClientID)] {
                let client = OpenIDClient(
                    issuerURL: try server.issuerURL(),
                    clientID: "secretive",
                    clientSecret: secret
                )
                let identityProvider = OpenIDConnect(client)
                if let code {
                    await expectFailure(code) { try await server.signIn(identityProvider).credential() }
                } else {
                    _ = try await server.signIn(identityProvider).credential()
                }
            }
        }
    }
}
