import Dispatch
import Foundation
import SecretService
import Synchronization
import TestSupport

@testable import SharedAuth

/// An app in the test's own process, on a real keyring, that notes every announcement.
final class TestApp: Sendable {
    /// One call of a listener.
    struct Announcement: Hashable, CustomStringConvertible {
        let kind: String
        let uid: String?
        var description: String { "\(kind):\(uid ?? "nil")" }
    }

    /// What tells tests apart that share a keyring.
    struct World: Sendable {
        let keyring: PrivateKeyring
        var project = "test-\(UUID().uuidString)"
        var state: String
        /// Where the records are, if they are not in the keyring.
        let files: FileSite?

        init(_ keyring: PrivateKeyring? = nil, on store: StoreKind = .secretService) throws {
            self.keyring = try keyring ?? PrivateKeyring.shared.get()
            state = "\(self.keyring.directory)/state-\(project)"
            files = store == .encryptedFile ? try FileSite(in: "\(self.keyring.directory)/files-\(project)") : nil
        }
    }

    let app: AuthApp
    let identity: ScriptedIdentity
    let store: any RecordStore
    let queue: DispatchQueue
    private let log = Mutex<[Announcement]>([])
    let news = DispatchSemaphore(value: 0)

    var auth: Auth { Auth.auth(app: app) }

    init(
        _ world: World,
        appID: String = "com.example.Mail",
        identity: ScriptedIdentity = ScriptedIdentity(),
        hearsPeers: Bool = true,
        deadline: Duration = .seconds(20),
        listens: Bool = true,
        interceptor: CallInterceptor? = nil,
        collection: RecordCollection = .standard,
        locking: CrossProcessLocking = .automatic,
        adjust: (inout AuthApp.Options) -> Void = { _ in }
    ) throws {
        var configuration = SecretService.Configuration(busAddress: .address(world.keyring.busAddress))
        configuration.interceptor = interceptor
        configuration.deadline = deadline
        store =
            world.files?.store()
            ?? SecretServiceRecordStore(SecretService(configuration), collection: collection, locking: locking)
        queue = DispatchQueue(label: "test.listeners")
        self.identity = identity
        var options = AuthApp.Options(
            appID: appID,
            project: world.project,
            identityProvider: identity.source,
            store: .custom(store),
            listenerExecutor: .dispatchQueue(queue),
            deadline: deadline,
            stateDirectory: world.state,
            hearsPeers: hearsPeers
        )
        adjust(&options)
        app = try AuthApp(unregistered: options)
        if listens { listen() }
    }

    func listen() {
        _ = auth.addStateDidChangeListener { [weak self] _, user in self?.note("state", user) }
        _ = auth.addIDTokenDidChangeListener { [weak self] _, user in self?.note("token", user) }
    }

    /// Everything announced since the last call, once all of it is delivered.
    func announcements() -> [Announcement] {
        // The operation before this has posted to the queue what there is.
        queue.sync {}
        return log.withLock { log in
            defer { log = [] }
            return log
        }
    }

    /// Signs a user in as an identity provider would.
    @discardableResult
    func signIn(_ uid: String, _ token: String = "1", anonymous: Bool = false, tenantID: String? = nil) async throws
        -> User
    {
        identity.expect(.scripted(uid, token, anonymous: anonymous, tenantID: tenantID))
        return try await auth.signIn(withEmail: "person@example.com", password: "password").user
    }

    /// The uid stored in a slot, as a stranger reads it.
    func stored(_ group: String?) throws -> String? {
        try auth.getStoredUser(forAccessGroup: group)?.uid
    }

    private func note(_ kind: String, _ user: User?) {
        log.withLock { $0.append(Announcement(kind: kind, uid: user?.uid)) }
        news.signal()
    }

    func peek() -> [Announcement] { log.withLock { $0 } }
}

extension [TestApp.Announcement] {
    /// What both kinds of listener hear when the uid changes.
    static func both(_ uids: String?...) -> [TestApp.Announcement] {
        uids.flatMap { [.init(kind: "state", uid: $0), .init(kind: "token", uid: $0)] }
    }

    /// What is heard when only the token changes.
    static func token(_ uid: String?) -> [TestApp.Announcement] { [.init(kind: "token", uid: uid)] }
}
