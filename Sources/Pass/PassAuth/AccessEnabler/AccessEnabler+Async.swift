internal import Synchronization

extension AccessEnabler {
    /// Sets the programmer of the app; returns when the configuration has ended.
    ///
    /// - Throws: ``EntitlementError`` if the configuration failed; ``events`` has the report with the reason.
    public func setRequestor(_ requestorID: String, serviceProviders: [String] = []) async throws(EntitlementError) {
        let outcome = await outcome { _ in .setRequestor(requestorID, serviceProviders: serviceProviders) }
        if case .failed(let error) = outcome { throw error }
    }

    /// Returns whether a user is signed in, without network access.
    public func checkAuthentication() async -> AuthenticationStatus {
        await status { _ in .checkAuthentication }
    }

    /// Signs the user in; returns whether a user is signed in when the sign-in has ended.
    ///
    /// The picker and the login page are still shown by the delegate or by the reader of ``events``. The call lasts
    /// until the user has finished. Cancelling the task cancels the sign-in, as `setSelectedProvider(nil)` does, unless
    /// other calls wait for the same sign-in.
    public func getAuthentication(
        _ forceAuthn: Bool = false,
        withData data: [String: String] = [:]
    ) async -> AuthenticationStatus {
        status(
            of: await outcomeUnlessCancelled { _ in
                .getAuthentication(SignInOptions(isForced: forceAuthn, genericData: data))
            }
        )
    }

    /// Signs in with a different TV provider. The current session stays unless the sign-in succeeds.
    ///
    /// - Parameters:
    ///   - mvpd: The TV provider. If the programmer does not work with it, the status is
    ///     ``EntitlementConstant/PROVIDER_NOT_AVAILABLE_ERROR``.
    ///   - isForced: Whether to show the login page even if the server already knows the user.
    package func signIn(with mvpd: String, isForced: Bool) async -> AuthenticationStatus {
        let options = SignInOptions(isForced: true, isSwitch: !isForced, mvpd: mvpd)
        return status(of: await outcomeUnlessCancelled { _ in .getAuthentication(options) })
    }

    /// Requests authorization for a resource; returns the media token, as received.
    ///
    /// - Throws: ``EntitlementError`` if the resource may not be watched, or if this could not be determined.
    public func checkAuthorization(
        _ resource: String,
        withData data: [String: String] = [:]
    ) async throws(EntitlementError) -> String {
        try token(
            await outcome {
                .authorization(AuthorizationCall(id: $0, resource: resource, genericData: data, signsIn: false))
            }
        )
    }

    /// Requests authorization for a resource, after a sign-in if no user is signed in; returns the media token, as
    /// received. Cancelling the task cancels the sign-in, unless other calls wait for it too. A user who is signed in
    /// stays signed in.
    ///
    /// - Throws: ``EntitlementError`` if the resource may not be watched, or if this could not be determined.
    public func getAuthorization(
        _ resource: String,
        withData data: [String: String] = [:]
    ) async throws(EntitlementError) -> String {
        try token(
            await outcomeUnlessCancelled {
                .authorization(AuthorizationCall(id: $0, resource: resource, genericData: data, signsIn: true))
            }
        )
    }

    /// Returns those of the resources that are permitted.
    ///
    /// - Throws: ``EntitlementError`` if the request failed.
    public func checkPreauthorizedResources(
        _ resources: [String],
        cache: Bool = true
    ) async throws(EntitlementError) -> [String] {
        switch await outcome({ _ in .checkPreauthorizedResources(resources, usesCache: cache) }) {
        case .resources(let permitted): return permitted
        case .failed(let error): throw error
        default: return []
        }
    }

    /// Returns which resources are permitted. If the request failed, the response has a status and no decisions.
    public func preauthorize(_ request: PreauthorizeRequest) async -> PreauthorizeResponse {
        if case .preauthorization(let response) = await outcome({ _ in .preauthorize(request) }) { return response }
        return PreauthorizeResponse(status: nil, decisions: [])
    }

    /// Returns the selected TV provider, or nil.
    public func getSelectedProvider() async -> MVPD? {
        if case .provider(let mvpd) = await outcome({ _ in .getSelectedProvider }) { return mvpd }
        return nil
    }

    /// Returns the metadata for a key.
    public func getMetadata(_ key: MetadataKey) async -> MetadataAnswer {
        if case .metadata(let answer) = await outcome({ _ in .getMetadata(key) }) { return answer }
        return MetadataAnswer(key)
    }

    /// Logs the user out; returns the final status. After a successful log-out its error string is
    /// ``EntitlementConstant/USER_NOT_AUTHENTICATED_ERROR``.
    @discardableResult
    public func logout() async -> AuthenticationStatus { await status { _ in .logOut } }

    private func status(_ make: (CallID) -> EntitlementCall) async -> AuthenticationStatus {
        status(of: await outcome(make))
    }

    private func status(of outcome: CallOutcome) -> AuthenticationStatus {
        if case .status(let status) = outcome { return status }
        return .failed(EntitlementConstant.GENERIC_AUTHENTICATION_ERROR)
    }

    private func token(_ outcome: CallOutcome) throws(EntitlementError) -> String {
        switch outcome {
        case .token(let token): return token
        case .failed(let error): throw error
        default: throw EntitlementError(EntitlementConstant.GENERIC_AUTHORIZATION_ERROR)
        }
    }

    private func outcome(_ make: (CallID) -> EntitlementCall) async -> CallOutcome {
        await withCheckedContinuation { continuation in
            runner.call(make) { continuation.resume(returning: $0) }
        }
    }

    /// Like `outcome`, but gives up the call if the task is cancelled during the call or before it.
    private func outcomeUnlessCancelled(_ make: (CallID) -> EntitlementCall) async -> CallOutcome {
        let call = Mutex<(id: CallID?, isGivenUp: Bool)>((nil, false))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let id = runner.call(make) { continuation.resume(returning: $0) }
                let isGivenUp = call.withLock { call in
                    call.id = id
                    return call.isGivenUp
                }
                if isGivenUp { runner.call { _ in .giveUp(id) } }
            }
        } onCancel: {
            let id = call.withLock { call in
                call.isGivenUp = true
                return call.id
            }
            if let id { runner.call { _ in .giveUp(id) } }
        }
    }
}
