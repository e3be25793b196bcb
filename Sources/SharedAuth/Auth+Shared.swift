internal import Synchronization

extension Auth {
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
            options: AuthApp.Options(store: .inMemory(), hearsPeers: false),
            identity: .unknown,
            misconfiguration: error
        )
        memory.withLock { $0.phase = .failed(error) }
    }
}
