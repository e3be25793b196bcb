import Foundation
import SecretService
import SharedAuth
import TestSupport
import Testing

@testable import LocalIdentity

struct DamageTests {
    @Test(
        "A record that cannot be read is left as it is, and the error says so",
        arguments: [
            ("", AuthErrorCode.recordDamaged), ("nonsense", .recordDamaged), ("{}", .recordDamaged),
            ("{\"version\":0,\"content\":{}}", .recordDamaged), ("{\"version\":1}", .recordDamaged),
            ("{\"version\":1,\"content\":{}}", .recordDamaged), ("{\"version\":\"1\"}", .recordDamaged),
            ("{\"version\":1,\"content\":{\"signing\":\"AAAA\",\"sealing\":\"AAAA\"}}", .recordDamaged),
            ("{\"version\":1,\"content\":{\"accounts\":[{\"uid\":\"a\"}]}}", .recordDamaged),
            ("{\"version\":2}", .recordVersionUnsupported), ("{\"version\":999,\"x\":1}", .recordVersionUnsupported),
        ],
        ["keys", "accounts"]
    )
    func unreadable(_ payload: (text: String, code: AuthErrorCode), in place: String) async throws {
        let world = LocalIdentityFixture()
        let identity = world.identity()
        let grant = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        let key: RecordKey =
            place == "keys"
            ? .identityKeys(of: world.project)
            : .identityAccounts(AccountShard.number(of: grant.profile.uid), of: world.project)
        let bytes = Array(payload.text.utf8)
        try world.store.update(key, by: .patient) { _ in .write(bytes) }
        try await expectEverythingToFail(identity, grant, payload.code, sparesLookup: place == "keys")
        guard case .whole(let record) = try world.store.read(key, by: .patient) else {
            Issue.record("gone")
            return
        }
        #expect(record.payload == bytes)
    }

    @Test(
        "A record that is damaged or newer in the store is left alone and reported",
        arguments: ["damaged", "newer"],
        ["keys", "accounts"]
    )
    func unreadableToTheStore(_ state: String, in place: String) async throws {
        let store = InMemoryRecordStore()
        let world = LocalIdentityFixture(store: store)
        let identity = world.identity()
        let grant = try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        let key: RecordKey =
            place == "keys"
            ? .identityKeys(of: world.project)
            : .identityAccounts(AccountShard.number(of: grant.profile.uid), of: world.project)
        store.put(state == "damaged" ? .damaged("its checksum is wrong") : .newer("version 2"), under: key)
        try await expectEverythingToFail(
            identity,
            grant,
            state == "damaged" ? .recordDamaged : .recordVersionUnsupported,
            sparesLookup: place == "keys"
        )
        switch (try store.read(key, by: .patient), state) {
        case (.damaged, "damaged"), (.newer, "newer"): break
        case (let other, _): Issue.record("\(other)")
        }
    }

    private func expectEverythingToFail(
        _ identity: LocalIdentity,
        _ grant: IdentityGrant,
        _ code: AuthErrorCode,
        sparesLookup: Bool
    ) async throws {
        await expectFailure(code) {
            try await identity.refreshTokens(grant.tokens.refreshToken)
        }
        await expectFailure(code) { try await identity.profile(idToken: grant.tokens.idToken) }
        await expectFailure(code) {
            try await identity.deleteAccount(idToken: grant.tokens.idToken)
        }
        await expectFailure(code) {
            try await identity.signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
        }
        // A taken address is detected without the keys.
        await expectFailure(sparesLookup ? .emailAlreadyInUse : code) {
            try await identity.createUser(withEmail: "a@example.com", password: "secret-1", tenantID: nil)
        }
        guard sparesLookup else { return }
        await expectFailure(code) { try await identity.signInAnonymously(tenantID: nil) }
        await expectFailure(code) { try await identity.publicKeys() }
    }

    @Test("Repeated or foreign accounts and excessive password costs are damage")
    func inconsistent() {
        var shard = AccountShard()
        let account = LocalAccount(uid: "a", tenantID: nil, created: 0)
        shard.add(account)
        #expect(shard.isConsistent(as: AccountShard.number(of: "a")))
        #expect(!shard.isConsistent(as: (AccountShard.number(of: "a") + 1) % 16))
        shard.add(account)
        #expect(!shard.isConsistent(as: AccountShard.number(of: "a")))
        for (cost, blockSize, parallelism) in [(62, 8, 1), (-1, 8, 1), (15, 1 << 40, 1), (15, 8, 0)] {
            let hash = PasswordHash(
                cost: cost,
                blockSize: blockSize,
                parallelism: parallelism,
                salt: Data(count: 16),
                hash: Data(count: 32)
            )
            #expect(!hash.isUsable)
        }
    }
}
