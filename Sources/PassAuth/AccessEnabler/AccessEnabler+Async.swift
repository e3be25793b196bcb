internal import Synchronization

extension AccessEnabler {
    /// As the form without `async`; returns when it has ended.
    ///
    /// - Throws: `EntitlementError` when it failed; ``events`` have the report that says why.
    public func setRequestor(_ requestorID: String, serviceProviders: [String] = []) async throws(EntitlementError) {
        let outcome = await outcome { _ in .setRequestor(requestorID, serviceProviders: serviceProviders) }
        if case .failed(let error) = outcome { throw error }
    }

    /// As the form without `async`; returns whether somebody is signed in.
    public func checkAuthentication() async -> AuthenticationStatus {
        await status { _ in .checkAuthentication }
    }

    /// As the form without `async`; returns whether somebody is signed in, once the sign-in has ended.
    ///
    /// The picker and the page are still the delegate's, or those of whoever reads ``events``. It takes as long as the
    /// person; a task that is cancelled cancels the sign-in, as `setSelectedProvider(nil)` does, unless other calls wait
    /// for that sign-in too.
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

    /// Signs in with another TV provider than that of the session that there is; the session stays unless this goes well.
    ///
    /// - Parameters:
    ///   - mvpd: The TV provider. If the programmer does not work with it, the status is
    ///     ``EntitlementConstant/PROVIDER_NOT_AVAILABLE_ERROR``.
    ///   - isForced: Whether the page is shown even if the server knows the person.
    package func signIn(with mvpd: String, isForced: Bool) async -> AuthenticationStatus {
        let options = SignInOptions(isForced: true, isSwitch: !isForced, mvpd: mvpd)
        return status(of: await outcomeUnlessCancelled { _ in .getAuthentication(options) })
    }

    /// As the form without `async`; returns the media token, as received.
    ///
    /// - Throws: `EntitlementError` when the resource may not be watched, or that is not known.
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

    /// As the form without `async`; returns the media token, as received. A task that is cancelled cancels the sign-in,
    /// unless other calls wait for it too; a person who is signed in stays so.
    ///
    /// - Throws: `EntitlementError` when the resource may not be watched, or that is not known.
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

    /// As the form without `async`; returns those of the resources that are permitted.
    ///
    /// - Throws: `EntitlementError` when the question failed.
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

    /// As the form with a callback; returns the response, whose status of number 0 says that the question failed.
    public func preauthorize(_ request: PreauthorizeRequest) async -> PreauthorizeResponse {
        if case .preauthorization(let response) = await outcome({ _ in .preauthorize(request) }) { return response }
        return PreauthorizeResponse(status: nil, decisions: [])
    }

    /// As the form without `async`; returns the TV provider that is chosen, or nil.
    public func getSelectedProvider() async -> MVPD? {
        if case .provider(let mvpd) = await outcome({ _ in .getSelectedProvider }) { return mvpd }
        return nil
    }

    /// As the form without `async`; returns the answer.
    public func getMetadata(_ key: MetadataKey) async -> MetadataAnswer {
        if case .metadata(let answer) = await outcome({ _ in .getMetadata(key) }) { return answer }
        return MetadataAnswer(key)
    }

    /// As the form without `async`; returns the status that the log-out ended with, the error string of a good one being
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

    /// As `outcome`, of a call that is given up when the task is cancelled, also one that was cancelled before.
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
