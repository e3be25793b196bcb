import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import LocalIdentity

struct AccountTests {
    let world = LocalIdentityFixture()

    @Test("The name and the photo are set, kept and cleared independently")
    func profile() async throws {
        let identity = world.identity()
        let grant = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        let token = grant.tokens.idToken
        let photo = try #require(URL(string: "https://example.com/a.png"))
        let named = try await identity.updateProfile(idToken: token, UserProfileChange(displayName: .set("Ada")))
        #expect(named.displayName == "Ada" && named.photoURL == nil)
        let pictured = try await identity.updateProfile(idToken: token, UserProfileChange(photoURL: .set(photo)))
        #expect(pictured.displayName == "Ada" && pictured.photoURL == photo)
        #expect(pictured.providerData.first?.displayName == "Ada")
        #expect(try await world.identity().profile(idToken: token) == pictured)
        let cleared = try await identity.updateProfile(
            idToken: token,
            UserProfileChange(displayName: .clear, photoURL: .clear)
        )
        #expect(cleared == grant.profile)
    }

    @Test("A profile that is far too large is refused, and nothing changes")
    func largeProfile() async throws {
        let identity = world.identity()
        let grant = try await identity.signInAnonymously(tenantID: nil)
        let url = URL(string: "https://example.com/" + String(repeating: "a", count: 2048))
        for change in [
            UserProfileChange(displayName: .set(String(repeating: "n", count: 1025))),
            UserProfileChange(photoURL: .init(url)),
        ] {
            await expectFailure(.quotaExceeded) {
                try await identity.updateProfile(idToken: grant.tokens.idToken, change)
            }
        }
        #expect(try await identity.profile(idToken: grant.tokens.idToken) == grant.profile)
    }

    @Test("A deleted account is gone with all its sessions, and its address is free")
    func deletion() async throws {
        let identity = world.identity()
        let grant = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        let other = try await identity.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
        try await identity.deleteAccount(idToken: grant.tokens.idToken)
        for tokens in [grant.tokens, other.tokens] {
            await expectFailure(.userNotFound) {
                try await identity.refreshTokens(tokens.refreshToken)
            }
            await expectFailure(.userNotFound) {
                try await identity.profile(idToken: tokens.idToken)
            }
            await expectFailure(.userNotFound) {
                try await identity.deleteAccount(idToken: tokens.idToken)
            }
            await expectFailure(.userNotFound) {
                try await identity.updateProfile(idToken: tokens.idToken, UserProfileChange(displayName: .set("x")))
            }
        }
        await expectFailure(.userNotFound) {
            try await identity.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
        }
        // Deleting the last account of a record deletes the record.
        #expect(try world.storedText().keys.sorted() == ["identity-keys"])
        let second = try await identity.createUser(withEmail: "a@example.com", password: "secret-2", tenantID: nil)
        #expect(second.profile.uid != grant.profile.uid)
    }

    @Test("A disabled account is unusable until it is enabled, and keeps its sessions")
    func disabled() async throws {
        let identity = world.identity()
        let grant = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        let (uid, token) = (grant.profile.uid, grant.tokens.idToken)
        try await identity.setDisabled(true, uid: uid)
        await expectFailure(.userDisabled) {
            try await identity.refreshTokens(grant.tokens.refreshToken)
        }
        await expectFailure(.userDisabled) { try await identity.profile(idToken: token) }
        await expectFailure(.userDisabled) {
            try await identity.updateProfile(idToken: token, UserProfileChange(displayName: .set("x")))
        }
        await expectFailure(.userDisabled) { try await identity.deleteAccount(idToken: token) }
        await expectFailure(.userDisabled) {
            try await identity.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
        }
        try await identity.setDisabled(false, uid: uid)
        _ = try await identity.refreshTokens(grant.tokens.refreshToken)
        await expectFailure(.userNotFound) {
            try await identity.setDisabled(true, uid: "unknown")
        }
    }

    @Test("An address is one account in each tenant, and the tenant is in profile and token")
    func tenants() async throws {
        let identity = world.identity()
        var uids: Set<String> = []
        for tenant in [nil, "t-1", "t-2"] {
            let grant = try await identity.createUser(
                withEmail: "a@example.com",
                password: "secret-\(tenant ?? "none")",
                tenantID: tenant
            )
            #expect(grant.profile.tenantID == tenant)
            #expect(try SignedToken(grant.tokens.idToken).claims["firebase"]?["tenant"]?.string == tenant)
            uids.insert(grant.profile.uid)
        }
        #expect(uids.count == 3)
        let back = try await identity.signIn(with: .password("a@example.com", "secret-t-2"), tenantID: "t-2")
        #expect(back.profile.tenantID == "t-2")
        await expectFailure(.wrongPassword) {
            try await identity.signIn(with: .password("a@example.com", "secret-t-2"), tenantID: "t-1")
        }
        await expectFailure(.userNotFound) {
            try await identity.signIn(with: .password("a@example.com", "secret-t-2"), tenantID: "t-3")
        }
        await expectFailure(.emailAlreadyInUse) {
            try await identity.createUser(withEmail: "a@example.com", password: "secret-3", tenantID: "t-1")
        }
        let anonymous = try await identity.signInAnonymously(tenantID: "t-1")
        #expect(anonymous.profile.tenantID == "t-1")
        #expect(try SignedToken(anonymous.tokens.idToken).claims["firebase"]?["tenant"] == .string("t-1"))
    }

    @Test("Projects of one store share nothing")
    func projects() async throws {
        let (one, two) = (world.identity("one"), world.identity("two"))
        let grant = try await one.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        await expectFailure(.userNotFound) {
            try await two.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
        }
        await expectFailure(.invalidUserToken) {
            try await two.refreshTokens(grant.tokens.refreshToken)
        }
        #expect(try await one.publicKeys() != two.publicKeys())
    }

    @Test("Addresses are the same only if their bytes are equal, in any record")
    func composition() async throws {
        let identity = LocalIdentityFixture().identity()
        // One letter, and two code points that look like it.
        for number in 0..<40 {
            let (composed, decomposed) = ("\u{E9}\(number)@example.com", "e\u{301}\(number)@example.com")
            _ = try await identity.createUser(withEmail: composed, password: "secret-1", tenantID: nil)
            await expectFailure(.userNotFound) {
                try await identity.signIn(with: .password(decomposed, "secret-1"), tenantID: nil)
            }
        }
    }
}
