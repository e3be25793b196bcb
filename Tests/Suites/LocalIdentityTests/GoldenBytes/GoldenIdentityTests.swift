import FoundationEssentials
import SecretService
import SharedAuth
import TestSupport
import Testing

@testable import LocalIdentity

/// The records of the embedded identity provider: its keys, and a shard with an account of each kind.
struct GoldenIdentityTests {
    private static let file = "local-identity.records"
    private static let started = 1_799_000_000

    private let world = LocalIdentityFixture()

    /// Invented keys: nearly any 32 bytes are a valid private key of P-256.
    private func keys() throws -> IdentityKeys {
        let stored = IdentityKeys.Stored(
            signing: Data((1...32).map { UInt8($0) }),
            sealing: Data((101...132).map { UInt8($0) })
        )
        return try #require(IdentityKeys(stored))
    }

    private func token(_ uid: String, _ byte: UInt8) throws -> RefreshToken {
        RefreshToken(uid: uid, secret: Array(repeating: byte, count: RefreshToken.secretSize), try keys())
    }

    /// Both uids and the address belong to shard 2.
    private func shard() async throws -> AccountShard {
        let nonce = [UInt8](repeating: 0xC0, count: RefreshToken.nonceSize)
        var anonymous = LocalAccount(uid: "GoldenAnonymous0000000000001", tenantID: "tenant-1", created: Self.started)
        anonymous.begin(Session(try token(anonymous.uid, 1), at: Self.started))
        var person = LocalAccount(
            uid: "GoldenPassword00000000000011",
            tenantID: nil,
            email: "ada@example.com",
            password: try await PasswordHash.make(
                of: "secret-1",
                cost: 4,
                salt: Array(repeating: 0x5A, count: 16)
            ),
            created: Self.started
        )
        person.displayName = "Ada Lövelace"
        person.photoURL = URL(string: "https://example.com/ada.png")
        person.begin(Session(try token(person.uid, 2), at: Self.started + 1))
        person.begin(Session(try token(person.uid, 3), at: Self.started + 2))
        _ = person.rotate(try token(person.uid, 3), nonce: nonce, try keys(), at: Self.started + 3)
        var shard = AccountShard()
        shard.add(anonymous)
        shard.add(person)
        return shard
    }

    /// Stores keys and accounts through the identity provider's own layer.
    private func write() async throws -> String {
        let store = world.store
        try store.update(.identityKeys(of: world.project), by: .patient) { _ in
            let payload = try? VersionedContent.encode(keys().stored)
            return payload.map(RecordChange.write) ?? .keep
        }
        let accounts = try await shard().accounts
        try await world.identity().records.update(accountOf: accounts[0].uid) { shard throws(AuthError) in
            for account in accounts { shard.add(account) }
        }
        return try RecordLines.dump(world.keys, of: store)
    }

    @Test("The same keys and accounts are written as the golden records")
    func writes() async throws {
        try await GoldenBytes.expect(Array(write().utf8), equalFile: Self.file)
    }

    @Test("New keys are written in the golden form")
    func writesNewKeys() async throws {
        let made = try await world.identity().records.keys().stored
        let golden = try keys().stored
        let line = try RecordLines.dump([.identityKeys(of: world.project)], of: world.store)
            .replacing(made.signing.base64EncodedString(), with: golden.signing.base64EncodedString())
            .replacing(made.sealing.base64EncodedString(), with: golden.sealing.base64EncodedString())
        #expect(try GoldenBytes.text(Self.file).contains(line))
    }

    @Test("The golden records read as the keys and accounts they were written from")
    func reads() async throws {
        try RecordLines.load(GoldenBytes.text(Self.file), into: world.store)
        let records = world.identity().records
        let found = try await records.keys().stored
        #expect(try found.signing == keys().stored.signing && found.sealing == keys().stored.sealing)
        #expect(try await records.shard(2) == shard())
    }

    @Test("The users of the golden records sign in by password, and refresh golden tokens")
    func signsIn() async throws {
        try RecordLines.load(GoldenBytes.text(Self.file), into: world.store)
        let identity = world.identity()
        let grant = try await identity.signIn(with: .password("Ada@Example.com", "secret-1"), tenantID: nil)
        #expect(grant.profile.uid == "GoldenPassword00000000000011" && !grant.isNewUser)
        #expect(grant.profile.displayName == "Ada Lövelace")
        #expect(try SignedToken(grant.tokens.idToken).isSigned(byOneOf: keys().publicKeySet))
        await expectFailure(.wrongPassword) {
            try await identity.signIn(with: .password("ada@example.com", "secret-2"), tenantID: nil)
        }
        let tokens = try GoldenBytes.text("local-identity-refresh-tokens.txt").split(separator: "\n").map(String.init)
        #expect(tokens.count == 3)
        for token in tokens { _ = try await identity.refreshTokens(token) }
    }

    @Test("A refresh token is written as the golden ones")
    func writesTokens() throws {
        let (anonymous, person) = ("GoldenAnonymous0000000000001", "GoldenPassword00000000000011")
        let tokens = try [token(anonymous, 1), token(person, 2), token(person, 3)]
        let text = tokens.map { "\($0.text)\n" }.joined()
        try GoldenBytes.expect(Array(text.utf8), equalFile: "local-identity-refresh-tokens.txt")
    }
}
