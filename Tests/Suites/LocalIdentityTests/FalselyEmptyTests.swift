import SecretService
import SharedAuth
import TestSupport
import Testing

@testable import LocalIdentity

/// A keyring that says once that there is nothing, although there is.
struct FalselyEmptyTests {
    private let store = FalselyEmptyStore()
    private let world: LocalIdentityFixture

    init() { world = LocalIdentityFixture(store: store) }

    @Test("One empty answer ends no session", arguments: ["refresh", "profile", "update", "link"])
    func session(call: String) async throws {
        let identity = world.identity()
        let tokens = try await identity.signInAnonymously(tenantID: nil).tokens
        store.forget("identity-accounts", times: 1)
        switch call {
        case "refresh": _ = try await identity.refreshTokens(tokens.refreshToken)
        case "profile": #expect(try await identity.profile(for: tokens).isAnonymous)
        case "update": _ = try await identity.updateProfile(UserProfileChange(displayName: .set("Ada")), for: tokens)
        default: _ = try await identity.link(.password("a@example.com", "secret-1"), to: tokens)
        }
        #expect(store.forgotten == 1)
        _ = try await identity.refreshTokens(tokens.refreshToken)
    }

    @Test("An account that is gone at the second look as well does not exist")
    func gone() async throws {
        let identity = world.identity()
        let tokens = try await identity.signInAnonymously(tenantID: nil).tokens
        try await identity.deleteAccount(for: tokens)
        await expectFailure(.userNotFound) { try await identity.refreshTokens(tokens.refreshToken) }
        await expectFailure(.userNotFound) { try await identity.profile(for: tokens) }
    }

    @Test("One empty answer frees no address that an account has")
    func address() async throws {
        let identity = world.identity()
        let anonymous = try await identity.signInAnonymously(tenantID: nil)
        let uid = anonymous.profile.uid
        let number = AccountShard.number(of: uid)
        let email = try #require(
            (0..<1000).map { "a\($0)@example.com" }.first { text in
                (try? EmailAddress(text)).map { AccountShard.number(of: $0, tenantID: nil) != number } ?? false
            }
        )
        _ = try await identity.link(.password(email, "secret-1"), to: anonymous.tokens)
        world.advance(by: 61)
        // The search for the owner, and not the one for the address, finds nothing.
        for _ in 1...2 {
            store.forget(RecordKey.identityAccounts(number, of: world.project).kind, times: 2)
            await expectFailure(.emailAlreadyInUse) {
                try await identity.createUser(withEmail: email, password: "secret-2", tenantID: nil)
            }
        }
        #expect(try await identity.signIn(with: .password(email, "secret-1"), tenantID: nil).profile.uid == uid)
    }
}
