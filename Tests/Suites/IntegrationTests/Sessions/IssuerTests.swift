import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth

/// Tests apps of one group with different identity providers.
struct IssuerTests {
    static let group = "group.example.issuers"

    /// Returns an app of the group whose identity provider has this issuer; nil for a provider that does not name its
    /// issuer.
    private func app(_ world: AppFixture, _ appID: String, _ issuer: String?) throws -> TestApp {
        let identity = ScriptedIdentity(issuer: issuer)
        let app = try TestApp(world, appID: appID, identity: identity)
        try app.auth.useUserAccessGroup(Self.group)
        return app
    }

    @Test("Another issuer's provider does not refresh, reload or delete the user")
    func foreign() async throws {
        let world = try AppFixture()
        let company = try app(world, "com.example.Mail", "https://company.example")
        try await company.signIn("x")
        let tool = try app(world, "com.example.Tool", "local")
        let user = try #require(tool.auth.currentUser)
        // The user's own token is still valid.
        #expect(try await user.getIDToken() == "x/id/1")
        await expectFailure(.issuerMismatch) { _ = try await user.getIDToken(forcingRefresh: true) }
        await expectFailure(.issuerMismatch) { try await user.reload() }
        await expectFailure(.issuerMismatch) { try await user.delete() }
        #expect(tool.identity.refreshes == 0)
        #expect(tool.auth.currentUser === user)
        #expect(try company.stored(Self.group) == "x")
        // Signing out is still possible.
        try tool.auth.signOut()
        #expect(try company.stored(Self.group) == nil)
    }

    @Test(
        "Apps of one issuer, named or not, refresh each other's tokens",
        arguments: ["i", nil]
    )
    func same(issuer: String?) async throws {
        let world = try AppFixture()
        try await app(world, "com.example.Mail", issuer).signIn("x")
        let other = try app(world, "com.example.Calendar", issuer)
        #expect(try await other.auth.currentUser?.getIDToken(forcingRefresh: true) == "x/id/refreshed-1")
    }

    @Test(
        "A record without an issuer belongs to its ID token's issuer, or to any provider",
        arguments: [true, false]
    )
    func unnamed(hasClaim: Bool) async throws {
        let world = try AppFixture()
        let payload = Base64URL.encode(Array(#"{"iss":"https://company.example","exp":1,"iat":1}"#.utf8))
        var account = world.account("x")
        account.issuer = nil
        account.tokens = UserTokens(
            idToken: hasClaim ? "e30.\(payload).c2ln" : "opaque",
            refreshToken: "x/refresh",
            expirationDate: Date(timeIntervalSinceNow: 3600)
        )
        try world.put(account, in: Self.group, appID: "")
        let tool = try app(world, "com.example.Tool", "local")
        let user = try #require(tool.auth.currentUser)
        if hasClaim {
            await expectFailure(.issuerMismatch) { _ = try await user.getIDToken(forcingRefresh: true) }
        } else {
            _ = try await user.getIDToken(forcingRefresh: true)
        }
        // An app from before issuers were stored can still refresh its own users.
        let own = try app(world, "com.example.Mail", nil)
        let ownUser = try #require(own.auth.currentUser)
        _ = try await ownUser.getIDToken(forcingRefresh: true)
    }

    @Test("Newer tokens of the same uid from another issuer are not kept")
    func sameUIDOfAnother() async throws {
        let world = try AppFixture()
        var stored = world.account("x", "theirs")
        stored.issuer = "https://company.example"
        stored.tokens = .scripted("x", "theirs", lasting: 7200)
        try world.put(stored, in: Self.group, appID: "")
        var account = world.account("x", "ours")
        account.issuer = "local"
        account.project = world.project
        let app = try app(world, "com.example.Mail", "local")
        try await app.auth.updateCurrentUser(User(account, auth: nil, slot: nil))
        #expect(try app.auth.getStoredUser(forAccessGroup: Self.group)?.refreshToken == "x/ours")
    }

    @Test(
        "A user of another project is converted by the provider; if rejected, unchanged"
    )
    func otherProject() async throws {
        let world = try AppFixture()
        var account = world.account("x")
        (account.project, account.issuer) = ("another", "https://company.example")
        let user = User(account, auth: nil, slot: nil)
        let app = try app(world, "com.example.Mail", "local")
        app.identity.fail(.invalidUserToken)
        await expectFailure(.invalidUserToken) { try await app.auth.updateCurrentUser(user) }
        #expect(user.snapshot == account)
        try await app.auth.updateCurrentUser(user)
        #expect(user.snapshot.issuer == "local")
        #expect(try await user.getIDToken(forcingRefresh: true) == "x/id/refreshed-1")
    }

    @Test("A response for another user, or without a uid, is refused")
    func otherUser() async throws {
        let world = try AppFixture()
        let app = try app(world, "com.example.Mail", nil)
        let user = try await app.signIn("x")
        app.identity.setProfile(UserProfile(uid: "y"), answering: "x")
        await expectFailure(.userMismatch) { try await user.reload() }
        #expect(app.auth.currentUser?.uid == "x")
        app.identity.expect(.scripted(""))
        await expectFailure(.internalError) {
            _ = try await app.auth.signIn(withEmail: "person@example.com", password: "password")
        }
        #expect(try app.stored(Self.group) == "x")
    }

    @Test("A rewrite keeps a newer version's members of record, account and profile")
    func unknownMembers() async throws {
        let world = try AppFixture()
        let account = world.account("x")
        let record = UserRecord().signingIn(account)
        var text = String(decoding: try record.encoded(), as: UTF8.self)
        text = text.replacing(#""uid":"x""#, with: #""uid":"x","later":[1,{"a":null}]"#)
        text = text.replacing(#""idToken""#, with: #""scopes":{"mail":18446744073709551615},"idToken""#)
        text = text.replacing(#""project""#, with: #""badge":0.5,"project""#)
        text = text.replacing(#""version":1"#, with: #""version":1,"extra":true"#)
        let read = try UserRecord(decoding: Array(text.utf8))
        let written = String(decoding: try read.replacing(try #require(read.currentAccount)).encoded(), as: UTF8.self)
        let added = [
            #""later":[1,{"a":null}]"#, #""scopes":{"mail":18446744073709551615}"#, #""badge":0.5"#, #""extra":true"#,
        ]
        for member in added { #expect(written.contains(member)) }
    }
}
