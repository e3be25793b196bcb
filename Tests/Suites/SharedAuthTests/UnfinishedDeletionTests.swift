import SecretService
import TestSupport
import Testing

@testable import SharedAuth

/// Deletions that a switch or a migration has left unfinished, in a slot that cannot be opened.
struct UnfinishedDeletionTests {
    private let app = MemoryApp()

    /// Starts the app in another group, after a migration from `shared` whose deletion is unfinished. That slot stays
    /// locked until the store is mended.
    private func start() throws -> Auth {
        try app.put("x", in: .shared)
        try app.put("x", in: .elsewhere)
        let revision = try #require(try app.revision(of: .shared))
        try app.journal().change { choice in
            choice = GroupChoice(
                slot: .elsewhere,
                pending: .deletion(of: .shared, revision: revision, accounts: [app.account("x").id])
            )
        }
        for call in [StoreCall.read, .update] {
            app.store.fail(call, of: .shared, with: RecordStoreError(.locked, "The test has locked it."))
        }
        let auth = try app.start()
        #expect(auth.shown == Shown("x", in: .elsewhere))
        return auth
    }

    @Test("An unfinished deletion in a locked slot blocks no switch or migration elsewhere")
    func elsewhere() async throws {
        let auth = try start()
        try await auth.useUserAccessGroup(app.otherGroup, timeout: .patience)
        try await auth.migrateCurrentUser(toAccessGroup: nil)
        #expect(auth.shown == Shown("x", in: .own))
        app.store.mend()
        #expect(auth.engine.rereadSlot() == false)
        #expect(try app.users(in: .shared).isEmpty)
        #expect(try app.journal().read().steps.isEmpty)
    }

    @Test("A slot with an unfinished deletion is not joined before the deletion is done")
    func target() async throws {
        let auth = try start()
        await expectFailure(.keyringLocked) { try await auth.useUserAccessGroup(app.group, timeout: .patience) }
        await expectFailure(.keyringLocked) { try await auth.migrateCurrentUser(toAccessGroup: app.group) }
        #expect(auth.shown == Shown("x", in: .elsewhere))
        app.store.mend()
        try await auth.useUserAccessGroup(app.group, timeout: .patience)
        #expect(auth.shown == Shown(nil, in: .shared))
    }

    @Test("An unfinished deletion elsewhere is no save failure of the slot in use")
    func saveFailure() throws {
        let auth = try start()
        #expect(auth.engine.rereadSlot() == false)
        #expect(auth.saveFailure == nil)
    }
}
