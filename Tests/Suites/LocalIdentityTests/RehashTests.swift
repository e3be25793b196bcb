import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import LocalIdentity

struct RehashTests {
    private let world = LocalIdentityFixture()

    private func identity(cost: Int) -> LocalIdentity {
        LocalIdentity(
            store: world.store,
            project: world.project,
            timeout: .seconds(20),
            settings: LocalIdentity.Settings(passwordCost: cost)
        )
    }

    private func hash(of uid: String) async throws -> PasswordHash {
        try #require(try await world.shard(of: uid)[uid]?.password)
    }

    @Test("A sign-in makes a weaker hash stronger once, and never a stronger one weaker")
    func rehash() async throws {
        let created = try await identity(cost: 4).createUser(
            withEmail: "a@example.com",
            password: "secret-1",
            tenantID: nil
        )
        let uid = created.profile.uid
        let weak = try await hash(of: uid)
        await expectFailure(.wrongPassword) {
            try await identity(cost: 6).signIn(with: .password("a@example.com", "secret-2"), tenantID: nil)
        }
        #expect(try await hash(of: uid) == weak)
        _ = try await identity(cost: 6).signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
        let strong = try await hash(of: uid)
        #expect(strong.cost == 6 && strong.blockSize == 8 && strong.parallelism == 1)
        #expect(strong.salt != weak.salt)
        for cost in [6, 4] {
            _ = try await identity(cost: cost).signIn(with: .password("a@example.com", "secret-1"), tenantID: nil)
            #expect(try await hash(of: uid) == strong)
        }
        await expectFailure(.wrongPassword) {
            try await identity(cost: 6).signIn(with: .password("a@example.com", "secret-2"), tenantID: nil)
        }
        _ = try await identity(cost: 6).refreshTokens(created.tokens.refreshToken)
    }

    @Test("A hash is weaker if it takes less memory to guess")
    func weaker() async throws {
        func hash(_ cost: Int, _ blockSize: Int) -> PasswordHash {
            PasswordHash(cost: cost, blockSize: blockSize, parallelism: 1, salt: Data(), hash: Data())
        }
        #expect(hash(15, 8).isWeaker(than: 17) && hash(17, 4).isWeaker(than: 17))
        #expect(!hash(17, 8).isWeaker(than: 17) && !hash(18, 8).isWeaker(than: 17) && !hash(16, 16).isWeaker(than: 17))
        #expect(!hash(18, 8).isWeaker(than: 99))
    }

    @Test("A new password is hashed with N 2^17, r 8, p 1 unless the app sets another cost")
    func usual() async throws {
        let made = try await PasswordHash.make(
            of: "secret-1",
            cost: LocalIdentity.Settings().passwordCost,
            salt: Array(repeating: 7, count: 16)
        )
        #expect(made.cost == 17 && made.blockSize == 8 && made.parallelism == 1)
        #expect(try await made.matches("secret-1"))
    }

    @Test(
        "A new address with control characters is refused, but an existing one works",
        arguments: [
            "a\u{202E}b@example.com", "a@ex\u{2066}ample.com", "\u{200F}a@example.com", "a\u{200B}@example.com",
            "\u{FEFF}a@example.com", "a\u{85}@example.com", "a\u{1B}@example.com", "a\u{2028}@example.com",
        ]
    )
    func invisible(email: String) async throws {
        let identity = identity(cost: 4)
        let error = await expectFailure(.invalidEmail) {
            try await identity.createUser(withEmail: email, password: "secret-1", tenantID: nil)
        }
        #expect(error?.message.unicodeScalars.contains { $0.isDisplayControl } == false)
        guard let address = try? EmailAddress(email) else { return }
        let hash = try await PasswordHash.make(of: "secret-1", cost: 4, salt: Array(repeating: 1, count: 16))
        let uid = AccountID.make(inShardOf: address, nil) { count in (0..<count).map { _ in .random(in: 0...255) } }
        let account = LocalAccount(uid: uid, tenantID: nil, email: address.text, password: hash, created: 0)
        try await identity.records.update(accountOf: uid) { $0.add(account) }
        #expect(try await identity.signIn(with: .password(email, "secret-1"), tenantID: nil).profile.uid == uid)
    }

    @Test("Joiners are kept, because words and emoji are written with them")
    func joiners() async throws {
        let email = "a\u{200D}b\u{200C}c@example.com"
        let grant = try await identity(cost: 4).createUser(withEmail: email, password: "secret-1", tenantID: nil)
        #expect(grant.profile.email == email)
    }
}
