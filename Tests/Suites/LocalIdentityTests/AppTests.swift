import Dispatch
import Foundation
import LocalIdentity
import SecretService
import SharedAuth
import TestSupport
import Testing

struct AppTests {
    private func options(_ store: RecordStoreFactory, project: String = "project") -> AuthApp.Options {
        AuthApp.Options(
            appID: "com.example.Mail",
            project: project,
            identityProvider: .local(LocalIdentity.Settings(passwordCost: 4)),
            store: store,
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "test.listeners")),
            stateDirectory: TestDirectory.newPath(),
            observesOtherProcesses: false
        )
    }

    @Test("An app with .local signs in, refreshes, changes its profile, deletes its account")
    func app() async throws {
        let app = try AuthApp.configure(name: "LocalIdentityTests-\(UUID())", options(.inMemory()))
        let auth = Auth.auth(app: app)
        let user = try await auth.signInAnonymously().user
        let first = user.refreshToken
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(user.refreshToken != first)
        let result = try await user.getIDTokenResult()
        #expect(result.signInProvider == "anonymous")
        #expect(result.jsonClaims["aud"] == .string("project"))

        let created = try await auth.createUser(withEmail: "a@example.com", password: "secret-1")
        #expect(created.user.providerData.map(\.providerID) == ["password"])
        let request = created.user.createProfileChangeRequest()
        request.displayName = "Ada"
        try await request.commitChanges()
        try await created.user.reload()
        #expect(created.user.displayName == "Ada")
        try await created.user.delete()
        #expect(auth.currentUser == nil)
    }

    @Test("On a keyring, two apps at the same time make one key and share their accounts")
    func keyring() async throws {
        let keyring = try PrivateKeyring()
        // Each has its own connection, as two processes have.
        let identities = (0..<2).map { _ in
            LocalIdentity(
                store: keyring.makeStore(),
                timeout: .seconds(20),
                settings: LocalIdentity.Settings(passwordCost: 4)
            )
        }
        let keys = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<8 { group.addTask { try await identities[number % 2].publicKeys() } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
        let created = try await identities[0].createUser(
            withEmail: "a@example.com",
            password: "secret-1",
            tenantID: nil
        )
        let found = try await identities[1].signIn(
            with: EmailAuthProvider.credential(withEmail: "a@example.com", password: "secret-1"),
            tenantID: nil
        )
        #expect(found.profile.uid == created.profile.uid)
        let tokens = try await identities[1].refreshTokens(created.tokens.refreshToken)
        try await identities[0].deleteAccount(idToken: tokens.idToken)
        await expectFailure(.userNotFound) {
            try await identities[1].refreshTokens(found.tokens.refreshToken)
        }
    }
}
