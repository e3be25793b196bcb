import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import LocalIdentity

struct SessionTests {
    let world = LocalIdentityFixture()

    @Test("Sessions of one account exist side by side and rotate independently")
    func sideBySide() async throws {
        let identity = world.identity()
        let one = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        world.advance(by: 5)
        let two = try await identity.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
        #expect(one.tokens.refreshToken != two.tokens.refreshToken)
        let first = try await identity.refreshTokens(one.tokens.refreshToken)
        let second = try await identity.refreshTokens(first.refreshToken)
        let other = try await identity.refreshTokens(two.tokens.refreshToken)
        _ = try await identity.refreshTokens(second.refreshToken)
        // Each token names the time when its own session began.
        #expect(try SignedToken(second.idToken).claims["auth_time"] == .number(1_800_000_000))
        #expect(try SignedToken(other.idToken).claims["auth_time"] == .number(1_800_000_005))
        #expect(try await world.shard(of: one.profile.uid)[one.profile.uid]?.sessions.count == 2)
    }

    @Test("Beyond 64 sessions, the longest unused one ends, and its token says so")
    func bounded() async throws {
        let identity = world.identity()
        let first = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        world.advance(by: 1)
        let second = try await identity.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
        world.advance(by: 1)
        let firstAgain = try await identity.refreshTokens(first.tokens.refreshToken)
        for _ in 0..<63 {
            world.advance(by: 1)
            _ = try await identity.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
        }
        #expect(try await world.shard(of: first.profile.uid)[first.profile.uid]?.sessions.count == 64)
        await expectFailure(.userTokenExpired) {
            try await identity.refreshTokens(second.tokens.refreshToken)
        }
        _ = try await identity.refreshTokens(firstAgain.refreshToken)
    }

    @Test("An account with all its sessions takes less than 16 KB")
    func size() async throws {
        let identity = world.identity()
        let grant = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        _ = try await identity.refreshTokens(grant.tokens.refreshToken)
        for _ in 0..<64 {
            let next = try await identity.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
            _ = try await identity.refreshTokens(next.tokens.refreshToken)
        }
        let sizes = try world.storedText().filter { $0.key.hasPrefix("identity-accounts") }.map(\.value.utf8.count)
        #expect(try #require(sizes.first) < 16_000)
    }
}
