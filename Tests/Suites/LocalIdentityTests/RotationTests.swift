import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import LocalIdentity

struct RotationTests {
    let world = LocalIdentityFixture()

    @Test("Each exchange returns a new refresh token of 32 random bytes for the same user")
    func rotation() async throws {
        let identity = world.identity()
        let grant = try await identity.signInAnonymously(tenantID: nil)
        var seen: Set = [grant.tokens.refreshToken]
        var tokens = grant.tokens
        for _ in 0..<10 {
            world.advance(by: 1)
            tokens = try await identity.refreshTokens(tokens.refreshToken)
            seen.insert(tokens.refreshToken)
            #expect(try SignedToken(tokens.idToken).claims["sub"] == .string(grant.profile.uid))
        }
        #expect(seen.count == 11)
        let secrets = try seen.compactMap(\.self).map { try SignedToken.bytes($0).dropFirst(32).prefix(32) }
        #expect(Set(secrets).count == 11)
    }

    @Test("A refresh token is stored only as a digest")
    func digests() async throws {
        let identity = world.identity()
        let grant = try await identity.signInAnonymously(tenantID: nil)
        let next = try await identity.refreshTokens(grant.tokens.refreshToken)
        let text = try world.storedText().values.joined()
        for token in [grant.tokens.refreshToken, next.refreshToken].compactMap(\.self) {
            let bytes = try SignedToken.bytes(token)
            #expect(!text.contains(token))
            for secret in [bytes, bytes.dropFirst(32).prefix(32), bytes.prefix(32)] {
                #expect(!text.contains(Data(secret).base64EncodedString().prefix(40)))
            }
        }
    }

    @Test("After a crash between exchange and save, the old token returns the new one again")
    func crash() async throws {
        let identity = world.identity()
        let grant = try await identity.signInAnonymously(tenantID: nil)
        let lost = try await identity.refreshTokens(grant.tokens.refreshToken)
        world.advance(by: 7 * 24 * 3600)
        let found = try await world.identity().refreshTokens(grant.tokens.refreshToken)
        #expect(found.refreshToken == lost.refreshToken)
        _ = try await identity.refreshTokens(found.refreshToken)
    }

    @Test("Once the new token was used, the old one is refused and the session continues")
    func predecessorEnds() async throws {
        let identity = world.identity()
        let grant = try await identity.signInAnonymously(tenantID: nil)
        let second = try await identity.refreshTokens(grant.tokens.refreshToken)
        let third = try await identity.refreshTokens(second.refreshToken)
        await expectFailure(.userTokenExpired) {
            try await identity.refreshTokens(grant.tokens.refreshToken)
        }
        // The token before the last still works, because the last was not used yet.
        let again = try await identity.refreshTokens(second.refreshToken)
        #expect(again.refreshToken == third.refreshToken)
        let fourth = try await identity.refreshTokens(third.refreshToken)
        await expectFailure(.userTokenExpired) {
            try await identity.refreshTokens(second.refreshToken)
        }
        _ = try await identity.refreshTokens(fourth.refreshToken)
    }

    @Test("Many simultaneous exchanges of one token all return tokens that work")
    func race() async throws {
        let store = FaultInjectingStore()
        let world = LocalIdentityFixture(store: store)
        let identities = [world.identity(), world.identity(), world.identity()]
        let grant = try await identities[0].signInAnonymously(tenantID: nil)
        _ = store.takeWrites()
        let all = try await withThrowingTaskGroup(of: UserTokens.self) { group in
            for number in 0..<24 {
                group.addTask { try await identities[number % 3].refreshTokens(grant.tokens.refreshToken) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(store.takeWrites().count == 1)
        let keys = try await identities[0].publicKeys()
        for tokens in all {
            #expect(try SignedToken(tokens.idToken).isSigned(byOneOf: keys))
            _ = try await identities[0].profile(idToken: tokens.idToken)
            _ = try await identities[0].refreshTokens(tokens.refreshToken)
        }
    }

    @Test("A token that was never issued is refused as invalid")
    func neverIssued() async throws {
        let identity = world.identity()
        let grant = try await identity.signInAnonymously(tenantID: nil)
        let real = try #require(grant.tokens.refreshToken)
        let bytes = try SignedToken.bytes(real)
        var flipped = bytes
        flipped[40] ^= 1
        let other = try await LocalIdentityFixture().identity().signInAnonymously(tenantID: nil)
        let bad = [
            "", "x", "!", String(real.dropLast(2)), real + "A", Base64URL.encode(flipped), grant.tokens.idToken ?? "",
            other.tokens.refreshToken ?? "", Base64URL.encode(Array(repeating: 0, count: 92)), real.uppercased(),
            Base64URL.encode(bytes.prefix(64)),
        ]
        for token in bad {
            await expectFailure(.invalidUserToken) { try await identity.refreshTokens(token) }
        }
        _ = try await identity.refreshTokens(real)
    }

    @Test("An exchange that could not be stored changes nothing")
    func failedWrite() async throws {
        let store = FaultInjectingStore()
        let identity = LocalIdentityFixture(store: store).identity()
        let grant = try await identity.signInAnonymously(tenantID: nil)
        store.fail(.write, with: RecordStoreError(.locked, "It is locked."))
        await expectFailure(.keyringLocked) {
            try await identity.refreshTokens(grant.tokens.refreshToken)
        }
        store.mend()
        _ = try await identity.refreshTokens(grant.tokens.refreshToken)
    }
}
