import Foundation
import SecretService
import SharedAuth
import Synchronization
import TestSupport

/// A private keyring in which a SharedAuth app is signed in to two groups, and the alternatives have stored as much.
struct BenchmarkFixture {
    static let appID = "com.example.Bench"
    static let groups = ["group.example.bench", "group.example.other"]

    let programs: Programs
    let keyring: PrivateKeyring
    let auth: Auth
    let bare: BareKeyring
    let service: SecretService
    /// The item of the app's record in the first group.
    let item: SecretItem
    /// The length of the text that the keyring stores for SharedAuth; the alternatives store texts of the same length.
    let size: Int

    init(programs: Programs, groups: [String] = Self.groups) async throws {
        self.programs = programs
        keyring = try PrivateKeyring()
        let identity = ScriptedIdentity()
        auth = try Auth.auth(app: AuthApp(unregistered: Self.options(keyring, identity)))
        for (number, group) in groups.enumerated() {
            try auth.useUserAccessGroup(group)
            identity.expect(.scripted("user\(number)", String(repeating: "t", count: 600)))
            try await auth.signIn(withEmail: "a@example.com", password: "password")
        }
        try auth.useUserAccessGroup(groups[0])
        bare = try BareKeyring(address: keyring.busAddress)
        service = keyring.makeService()
        let found = try service.items(matching: ["sharedauth-scope": "group:\(groups[0])"])
        guard let item = found.unlocked.first else { throw Failure("the app's own item is missing") }
        self.item = item
        size = try item.secret().bytes.count
    }

    static func options(_ keyring: PrivateKeyring, _ identity: ScriptedIdentity? = nil) -> AuthApp.Options {
        AuthApp.Options(
            appID: appID,
            identityProvider: identity?.source,
            store: .secretService(.init(busAddress: .address(keyring.busAddress))),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "bench")),
            stateDirectory: "\(keyring.directory)/state/sharedauth"
        )
    }

    /// Starts a process that uses libsecret and works on request.
    func libsecret() throws -> LineWorker {
        try LineWorker(programs.libsecret, ["serve", "\(size)"], in: keyring)
    }

    /// Starts processes that use Python's libraries, and returns them by name.
    func pythonWorkers() throws -> [(name: String, worker: LineWorker)] {
        guard let python = programs.python else { return [] }
        return try ["secretstorage", "keyring", "msal"].map { name in
            (name, try LineWorker(python, [programs.pythonPeers, name, "serve", "\(size)"], in: keyring))
        }
    }
}
