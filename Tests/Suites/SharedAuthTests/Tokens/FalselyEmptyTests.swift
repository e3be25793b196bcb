import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// A keyring that says once that a slot is empty, while tokens are exchanged.
struct FalselyEmptyTests {
    private let app = MemoryApp(on: FaultInjectingStore(FalselyEmptyStore()))

    private func storedToken() throws -> String? { try app.record(in: .own).currentAccount?.tokens.refreshToken }

    @Test("New tokens are saved, and not revoked, although the slot looked empty once")
    func saved() async throws {
        let auth = try await app.start(signingIn: "x")
        app.identity.duringRefresh { [app] in app.store.base.forget("user", times: 1) }
        _ = try await auth.currentUser?.getIDToken(forcingRefresh: true)
        #expect(app.store.base.forgotten == 1)
        #expect(try storedToken() == "x/refresh/refreshed-1")
        #expect(auth.shown == Shown("x", in: .own))
    }

    @Test("Tokens that wait to be saved outlast one empty answer")
    func kept() async throws {
        let auth = try await app.start(signingIn: "x")
        app.identity.duringRefresh { [app] in app.store.fail(.write, times: 1) }
        await expectFailure(.keychainError) { _ = try await auth.currentUser?.getIDToken(forcingRefresh: true) }
        app.identity.duringRefresh(nil)
        #expect(try storedToken() == "x/refresh/1")
        app.store.base.forget("user", times: 1)
        _ = auth.engine.rereadSlot()
        #expect(app.store.base.forgotten == 1)
        #expect(try storedToken() == "x/refresh/refreshed-1")
        #expect(auth.shown == Shown("x", in: .own))
    }
}
