internal import Synchronization

/// Signs users in and out, and keeps one signed-in user in step with every app of an access group (Firebase: `Auth`).
///
/// Thread-safe. Synchronous calls block until the keyring answers or `Options.timeout` passes, and never ask the person
/// to unlock anything. The first read of `currentUser` waits for the first load; later ones cost a lock.
///
/// Firebase's synchronous calls can be used in async code as they are; an overload that differs by `async` alone would break
/// such code, so their async forms have `timeout:`. SharedAuth's own calls have plain async overloads, and their
/// synchronous forms are not available in async code: they would block a thread of the concurrency pool.
public final class Auth: Sendable {
    /// What the calls below work on.
    let session: Session
    private let owner = Mutex(Owner())

    private struct Owner {
        weak var app: AuthApp?
    }

    init(name: String, options: AuthApp.Options, identity: AppIdentity, misconfiguration: AuthError? = nil) {
        session = Session(name: name, options: options, identity: identity, misconfiguration: misconfiguration)
        session.attach(to: self)
    }

    private static let unconfigured = Mutex<Auth?>(nil)

    /// The `Auth` of the app that was configured.
    ///
    /// Without `AuthApp.configure`, an app is configured now with the identity of the process (see
    /// `AuthApp.Options.appID`) and no identity provider; if not even that identity is well-formed, every call of the
    /// `Auth` throws `invalidAppIdentifier`.
    public static func auth() -> Auth {
        if let app = AuthApp.app() { return app.auth }
        do throws(AuthError) {
            return try AuthApp.configure(AuthApp.Options()).auth
        } catch {
            // Another thread may have configured meanwhile.
            if let app = AuthApp.app() { return app.auth }
            return unconfigured.withLock { auth in
                let fallback = auth ?? Auth(misconfigured: error)
                auth = fallback
                return fallback
            }
        }
    }

    /// The `Auth` of an app; the same object each time.
    public static func auth(app: AuthApp) -> Auth { app.auth }

    private convenience init(misconfigured error: AuthError) {
        self.init(
            name: AuthApp.defaultName,
            options: AuthApp.Options(store: .inMemory(), observesOtherProcesses: false),
            identity: .unknown,
            misconfiguration: error
        )
    }

    /// The app; nil when it is gone.
    public var app: AuthApp? { owner.withLock { $0.app } }

    func attach(_ app: AuthApp) {
        owner.withLock { $0.app = app }
    }

    /// Waits until what calls left for after their return is done.
    package func waitUntilIdle() { session.waitUntilIdle() }

    /// The slot of an access group that this app may use, or with nil its own.
    func slot(named accessGroup: String?) throws(AuthError) -> Slot {
        if let misconfiguration = session.misconfiguration { throw misconfiguration }
        guard let accessGroup else { return .own }
        return Slot(try session.identity.accessGroup(named: accessGroup))
    }

    /// Runs an async form for a completion handler, which is called through the app's listener executor.
    package func complete<Value: Sendable>(
        _ completion: (@Sendable (Value?, AuthError?) -> Void)?,
        _ operation: @escaping @Sendable (Auth) async throws(AuthError) -> Value
    ) {
        Task {
            let (value, error): (Value?, AuthError?)
            do throws(AuthError) {
                (value, error) = (try await operation(self), nil)
            } catch let failure {
                (value, error) = (nil, failure)
            }
            if let completion { session.announcer.deliver { completion(value, error) } }
        }
    }
}
