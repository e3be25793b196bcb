import Dispatch
import LocalIdentity
import SecretService
import SharedAuth
import Testing

// The code of the article "Testing Your App".

struct InMemoryExampleTests {
    // example
    @Test("Calendar sees the user that Mail signed in")
    func sharedUser() async throws {
        let store = InMemoryRecordStore()
        let mail = try officeApp("com.example.Mail", on: store)
        let calendar = try officeApp("com.example.Calendar", on: store)

        let uid = try await Auth.auth(app: mail).signInAnonymously().user.uid
        let stored = try Auth.auth(app: calendar).getStoredUser(forAccessGroup: "group.com.example.office")
        #expect(stored?.uid == uid)
    }

    private func officeApp(_ appID: String, on store: InMemoryRecordStore) throws -> AuthApp {
        try AuthApp(
            unregistered: AuthApp.Options(
                appID: appID,
                accessGroup: "group.com.example.office",
                identityProvider: .local(LocalIdentity.Settings(passwordCost: 4)),
                store: .inMemory(store),
                listenerExecutor: .dispatchQueue(DispatchQueue(label: "listeners"))
            )
        )
    }
    // end of example
}

struct LockedStoreExampleTests {
    // example
    struct LockedStore: RecordStore {
        let kind = RecordStoreKind.inMemory
        private let locked = RecordStoreError(.locked, "The keyring is locked.")

        func read(_ key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> StoredRecord { throw locked }

        func update(
            _ key: RecordKey,
            by deadline: Deadline,
            _ decide: (StoredRecord) -> RecordChange
        ) throws(RecordStoreError) -> StoredRecord { throw locked }

        func acquire(_ name: String, for key: RecordKey, by deadline: Deadline) throws(RecordStoreError)
            -> any RecordLock
        {
            throw locked
        }

        func unlock(by deadline: Deadline) throws(RecordStoreError) { throw locked }

        func watch(
            _ key: RecordKey,
            by deadline: Deadline,
            _ handler: @escaping @Sendable (RecordEvent) -> Void
        ) throws(RecordStoreError) -> any RecordWatch { throw locked }
    }

    @Test("A locked keyring does not count as signed out")
    func lockedKeyring() async throws {
        let app = try AuthApp(unregistered: AuthApp.Options(appID: "com.example.Mail", store: .custom(LockedStore())))
        guard case .locked = await Auth.auth(app: app).ready() else {
            Issue.record("the state should be locked")
            return
        }
    }
    // end of example
}
