internal import SharedAuth

/// Something that users sign in at, before its endpoints and its client are known.
protocol SignInService: Sendable {
    var providerID: String { get }
    var dependencies: Dependencies { get }

    /// Returns the server with the client to sign in with. Registers a client if the app registers itself.
    ///
    /// - Parameter browser: The browser settings of the sign-in; nil if it needs no browser here.
    func target(for browser: BrowserSettings?) async throws(AuthError) -> any SignInTarget

    /// Ends the session that a sign-in's credential carries.
    func discard(_ credential: AuthCredential) async
}

extension OpenIDConnect: SignInService {
    func target(for browser: BrowserSettings?) async throws(AuthError) -> any SignInTarget { self }
}

extension SignInService {
    /// Signs the user in with a flow to the server. The time of the user includes that of finding the server.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for the user.
    ///   - given: The parameters that the app adds to the request.
    ///   - browser: The browser settings of the sign-in; nil if it needs no browser here.
    ///   - run: Runs the flow.
    func credential(
        within timeout: Duration,
        adding given: [String: String],
        for browser: BrowserSettings?,
        _ run: (
            _ target: any SignInTarget,
            _ parameters: SignInParameters,
            _ time: SignInTime
        ) async throws(AuthError) -> OAuthCredential
    ) async throws(AuthError) -> AuthCredential {
        let time = SignInTime(timeout, dependencies.elapsed)
        return try await endingWhenCancelled { () async throws(AuthError) -> AuthCredential in
            let parameters = try SignInParameters(given)
            let target = try await self.target(for: browser)
            do throws(AuthError) {
                return OAuthProvider.credential(try await run(target, parameters, time))
            } catch {
                await target.ended(by: error)
                throw error
            }
        }
    }

    /// Signs the user in in the browser.
    func credential(
        within timeout: Duration,
        by browser: BrowserSettings,
        userIsDone: @escaping @Sendable () -> Void
    ) async throws(AuthError) -> AuthCredential {
        try await credential(within: timeout, adding: browser.parameters, for: browser) {
            (target, parameters, time) async throws(AuthError) in
            let flow = CodeFlow(
                target: target,
                settings: browser,
                parameters: parameters,
                time: time,
                userIsDone: userIsDone
            )
            return try await flow.run()
        }
    }
}
