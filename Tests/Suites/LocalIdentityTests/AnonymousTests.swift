import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import LocalIdentity

struct AnonymousTests {
    let world = LocalIdentityFixture()

    @Test("Each anonymous sign-in creates a user with a profile and tokens")
    func signIn() async throws {
        let identity = world.identity()
        let first = try await identity.signInAnonymously(tenantID: nil)
        let second = try await identity.signInAnonymously(tenantID: nil)
        #expect(first.isNewUser && first.profile.isAnonymous)
        #expect(first.profile.uid != second.profile.uid)
        #expect(first.profile.uid.utf8.count == 28)
        #expect(first.profile.providerData.isEmpty)
        #expect(first.profile.email == nil && !first.profile.isEmailVerified && first.profile.tenantID == nil)
        #expect(first.profile.creationDate == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(first.profile.lastSignInDate == first.profile.creationDate)
        #expect(try await identity.profile(idToken: first.tokens.idToken) == first.profile)
    }

    @Test("An anonymous sign-in writes once, except that the first one also writes the keys")
    func writes() async throws {
        let store = FaultInjectingStore()
        let identity = LocalIdentityFixture(store: store).identity()
        _ = try await identity.signInAnonymously(tenantID: nil)
        _ = try await identity.signInAnonymously(tenantID: nil)
        let writes = store.takeWrites()
        #expect(writes.count == 3)
        #expect(writes.first?.kind == "identity-keys")
    }

    @Test("An anonymous account takes less than 400 bytes")
    func size() async throws {
        let identity = world.identity()
        let grant = try await identity.signInAnonymously(tenantID: nil)
        _ = try await identity.refreshTokens(grant.tokens.refreshToken)
        let sizes = try world.storedText().filter { $0.key.hasPrefix("identity-accounts") }.map(\.value.utf8.count)
        #expect(sizes.count == 1)
        #expect(try #require(sizes.first) < 400)
    }

    @Test("The longest unused of thousands of anonymous users are deleted, then not found")
    func bounded() async throws {
        var shard = AccountShard()
        for number in 0..<1000 { shard.add(LocalAccount(uid: "\(number)", tenantID: nil, created: number)) }
        #expect(shard.accounts.map(\.uid) == (936..<1000).map(String.init))

        let identity = world.identity()
        let first = try await identity.signInAnonymously(tenantID: nil)
        let uid = first.profile.uid
        // The record is filled with accounts that are a little newer than the first.
        world.advance(by: 1)
        let time = world.now.wholeSeconds
        try await identity.records.update(accountOf: uid) { shard throws(AuthError) in
            for number in 1..<AccountShard.anonymousLimit {
                shard.add(LocalAccount(uid: filler(number, for: uid), tenantID: nil, created: time))
            }
        }
        world.advance(by: 1)
        let tokens = try await identity.refreshTokens(first.tokens.refreshToken)
        try await signInAnonymously(untilIn: uid)
        var kept = try await world.shard(of: uid)
        #expect(kept[uid] != nil && kept[filler(1, for: uid)] == nil && kept[filler(2, for: uid)] != nil)

        // Unused for longer than the others, the account is removed, and its next exchange says so.
        try await identity.records.update(accountOf: uid) { shard throws(AuthError) in
            for account in shard.accounts where account.uid != uid { shard[account.uid] = nil }
            for number in 1..<AccountShard.anonymousLimit {
                shard.add(LocalAccount(uid: filler(number, for: uid), tenantID: nil, created: time + 10))
            }
        }
        world.advance(by: 20)
        try await signInAnonymously(untilIn: uid)
        kept = try await world.shard(of: uid)
        #expect(kept.accounts.count == AccountShard.anonymousLimit)
        await expectFailure(.userNotFound) {
            try await identity.refreshTokens(tokens.refreshToken)
        }
    }

    /// Returns the uid of another account in the same record.
    private func filler(_ number: Int, for uid: String) -> String {
        let place = AccountShard.number(of: uid)
        return (0...).lazy.map { "filler-\(number)-\($0)" }.first { AccountShard.number(of: $0) == place } ?? ""
    }

    /// Signs users in until one of them is in the record of `uid`.
    private func signInAnonymously(untilIn uid: String) async throws {
        while true {
            let grant = try await world.identity().signInAnonymously(tenantID: nil)
            if AccountShard.number(of: grant.profile.uid) == AccountShard.number(of: uid) { return }
        }
    }
}
