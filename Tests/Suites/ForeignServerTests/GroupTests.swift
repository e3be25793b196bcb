import Foundation
import OpenIDConnect
import SecretService
import SharedAuth
import TestSupport
import Testing

/// Apps of one access group on a keyring, with an OpenID provider that rotates refresh tokens.
extension AtForeignServers {
    struct GroupTests {
        static let group = "group.com.example.office"

        private func app(_ appID: String, _ world: AppFixture, _ identityProvider: any IdentityProvider) throws
            -> TestApp
        {
            try TestApp(world, appID: appID, observesOtherProcesses: true) { options in
                options.identityProvider = IdentityProviderFactory { _ in identityProvider }
            }
        }

        @Test("One app's refresh reaches the other; a sign-out reaches app and provider")
        func twoApps() async throws {
            let server = Foreign.nanoidp
            let world = try AppFixture()
            let mail = try app("com.example.Mail", world, OpenIDConnect(server.client()))
            let calendar = try app("com.example.Calendar", world, OpenIDConnect(server.client()))
            try mail.auth.useUserAccessGroup(Self.group)
            try calendar.auth.useUserAccessGroup(Self.group)

            let openID = OpenIDConnect(try server.client())
            let user = try await mail.auth.signIn(with: server.signIn(openID).credential()).user
            await calendar.auth.awaitUser { $0?.uid == user.uid }
            let exchanges = try Foreign.requests("POST /token HTTP", at: server)
            let (token, refreshes) = try await user.refreshed(from: try await user.getIDToken())
            await calendar.auth.awaitToken(token)
            #expect(try Foreign.requests("POST /token HTTP", at: server) == exchanges + refreshes)

            let refreshToken = try #require(calendar.auth.currentUser?.refreshToken)
            let revocations = try Foreign.requests("POST /revoke HTTP", at: server)
            try await calendar.auth.signOut(timeout: .seconds(20))
            await mail.auth.awaitUser { $0 == nil }
            #expect(try Foreign.requests("POST /revoke HTTP", at: server) > revocations)
            let tokens = UserTokens(idToken: nil, refreshToken: refreshToken, expirationDate: Date())
            await expectFailure(.userTokenExpired) { try await openID.refresh(tokens, scopes: []) }
        }

        @Test("One of 16 processes exchanges an expired token, and no user is signed out")
        func manyProcesses() async throws {
            let server = Foreign.nanoidp
            let world = try AppFixture()
            let expired = ExpiredFromTheStart(openID: OpenIDConnect(try server.client()))
            let first = try app("com.example.Mail", world, expired)
            try first.auth.useUserAccessGroup(Self.group)
            let uid = try await first.auth.signIn(with: server.signIn(expired.openID).credential()).user.uid

            let exchanges = try Foreign.requests("POST /token HTTP", at: server)
            let tool = try BuiltProducts.executable("sharedauth")
            let keyring = world.keyring
            let project = world.project
            let results = try await withThrowingTaskGroup(of: ProcessResult.self) { processes in
                for number in 0..<16 {
                    processes.addTask {
                        let app = ["--app-id", "com.example.App\(number)", "--project", project]
                        _ = try keyring.run(tool, ["use-group", Self.group] + app)
                        return try keyring.run(tool, ["token"] + app)
                    }
                }
                return try await processes.reduce(into: []) { $0.append($1) }
            }
            for result in results { #expect(result.status == 0, "\(result.standardError)") }
            #expect(Set(results.map(\.standardOutput)).count == 1)
            #expect(try Foreign.requests("POST /token HTTP", at: server) == exchanges + 1)
            #expect(try first.auth.getStoredUser(forAccessGroup: Self.group)?.uid == uid)
        }
    }
}

/// An OpenID provider whose first tokens count as expired.
private struct ExpiredFromTheStart: IdentityProvider {
    let openID: OpenIDConnect

    var issuer: String { openID.issuer }

    func signIn(with credential: AuthCredential, tenantID: String?) async throws(AuthError) -> IdentityGrant {
        let grant = try await openID.signIn(with: credential, tenantID: tenantID)
        let tokens = UserTokens(
            idToken: grant.tokens.idToken,
            refreshToken: grant.tokens.refreshToken,
            expirationDate: Date(timeIntervalSinceNow: -60)
        )
        return IdentityGrant(profile: grant.profile, tokens: tokens, isNewUser: false)
    }

    func refresh(_ tokens: UserTokens, scopes: Set<String>) async throws(AuthError) -> UserTokens {
        try await openID.refresh(tokens, scopes: scopes)
    }

    func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        try await openID.profile(for: tokens)
    }
}

extension Auth {
    /// Waits until the current user satisfies the condition.
    fileprivate func awaitUser(_ isWanted: @Sendable (User?) -> Bool) async {
        for await user in authStateChanges where isWanted(user) { return }
    }

    /// Waits until the current user has this ID token.
    fileprivate func awaitToken(_ token: String) async {
        for await user in idTokenChanges where (try? await user?.getIDToken()) == token { return }
    }
}
