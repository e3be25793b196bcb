package import Dispatch
internal import FoundationEssentials
package import SecretService
package import SharedAuth
internal import Synchronization
internal import Testing

/// An app in the test process, on a real keyring, that records every announcement.
package final class TestApp: Sendable {
    /// One call of a listener.
    package struct Announcement: Hashable, CustomStringConvertible {
        package let kind: String
        package let uid: String?

        package init(kind: String, uid: String?) {
            self.kind = kind
            self.uid = uid
        }

        package var description: String { "\(kind):\(uid ?? "nil")" }
    }

    package let world: AppFixture
    package let app: AuthApp
    package let identity: ScriptedIdentity
    package let store: any RecordStore
    package let queue: DispatchQueue
    private let log = Mutex<[Announcement]>([])
    package let news = DispatchSemaphore(value: 0)

    package var auth: Auth { Auth.auth(app: app) }

    package init(
        _ world: AppFixture,
        appID: String = "com.example.Mail",
        identity: ScriptedIdentity = ScriptedIdentity(),
        observesOtherProcesses: Bool = false,
        timeout: Duration = .seconds(20),
        listens: Bool = true,
        interceptor: CallInterceptor? = nil,
        waits: WaitCounter? = nil,
        collection: RecordCollection = .standard,
        locking: CrossProcessLocking = .automatic,
        adjust: (inout AuthApp.Options) -> Void = { _ in }
    ) throws {
        self.world = world
        var configuration = SecretService.Configuration(busAddress: .address(world.busAddress))
        configuration.interceptor = interceptor
        configuration.waits = waits
        configuration.timeout = timeout
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
            timeout: timeout,
            stateDirectory: world.state,
            observesOtherProcesses: observesOtherProcesses
        )
        // A busy machine takes longer than a user would wait.
        options.revocationTimeout = .patience
        adjust(&options)
        app = try AuthApp(unregistered: options)
        if listens { listen() }
    }

    /// Makes an app with this user in a slot, by default the app's own, and takes the announcements of the sign-in.
    package static func signedIn(
        _ uid: String,
        in group: String? = nil,
        _ world: AppFixture? = nil,
        observesOtherProcesses: Bool = false,
        interceptor: CallInterceptor? = nil,
        adjust: (inout AuthApp.Options) -> Void = { _ in }
    ) async throws -> TestApp {
        let app = try TestApp(
            world ?? AppFixture(),
            observesOtherProcesses: observesOtherProcesses,
            interceptor: interceptor,
            adjust: adjust
        )
        if let group { try app.auth.useUserAccessGroup(group) }
        try await app.signIn(uid)
        _ = app.announcements()
        return app
    }

    package func listen() {
        _ = auth.addStateDidChangeListener { [weak self] _, user in self?.note("state", user) }
        _ = auth.addIDTokenDidChangeListener { [weak self] _, user in self?.note("token", user) }
    }

    /// Returns the announcements since the last call, once all of them are delivered.
    package func announcements() -> [Announcement] {
        // The operation before this has posted its announcements. Those that arrived while the queue made earlier calls
        // are delivered by a second visit, which the first one requests at its end.
        for _ in 1...2 { queue.sync {} }
        return log.withLock { log in
            defer { log = [] }
            return log
        }
    }

    /// Signs a user in as an identity provider does.
    @discardableResult
    package func signIn(_ uid: String, _ token: String = "1", anonymous: Bool = false, tenantID: String? = nil)
        async throws
        -> User
    {
        identity.expect(.scripted(uid, token, anonymous: anonymous, tenantID: tenantID))
        return try await auth.signIn(withEmail: "person@example.com", password: "password").user
    }

    /// Returns the uid stored in a slot, as another reader sees it.
    package func stored(_ group: String?) throws -> String? {
        try auth.getStoredUser(forAccessGroup: group)?.uid
    }

    private func note(_ kind: String, _ user: User?) {
        log.withLock { $0.append(Announcement(kind: kind, uid: user?.uid)) }
        news.signal()
    }

    package func peek() -> [Announcement] { log.withLock { $0 } }
}

extension [TestApp.Announcement] {
    /// Returns the announcements to both kinds of listener when the uid changes.
    package static func both(_ uids: String?...) -> [TestApp.Announcement] {
        uids.flatMap { [.init(kind: "state", uid: $0), .init(kind: "token", uid: $0)] }
    }

    /// Returns the announcement when only the token changes.
    package static func token(_ uid: String?) -> [TestApp.Announcement] { [.init(kind: "token", uid: uid)] }
}

extension TestApp {
    /// Waits until `condition` is true for the announcements since the last call, and takes them.
    ///
    /// - Returns: The announcements, complete or not, after two minutes at most.
    package func heard(until condition: ([Announcement]) -> Bool) -> [Announcement] {
        let end = DispatchTime.now() + 120
        while !condition(peek()) {
            if news.wait(timeout: end) == .timedOut { break }
        }
        return announcements()
    }

    /// Waits for this number of announcements, and takes them.
    package func heard(_ count: Int) -> [Announcement] {
        heard { $0.count >= count }
    }

    /// Delivers nothing until `body` ends, as when an app keeps its main loop busy.
    package func whileBusy(_ body: () async throws -> Void) async rethrows {
        queue.suspend()
        // Resumes also after an error: libdispatch traps when a suspended queue is released.
        defer { queue.resume() }
        try await body()
    }
}
