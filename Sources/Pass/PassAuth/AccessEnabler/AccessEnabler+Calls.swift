extension AccessEnabler {
    /// Sets the programmer of the app and prepares all later calls. The delegate receives `setRequestorComplete`.
    ///
    /// The steps are: the integrity check of the store; registration; the configuration; Importer and Sanitizer;
    /// passive sign-in, without a prompt, where TV providers offer it. The configuration is requested from the back
    /// end's own server or from all `serviceProviders` in parallel. For each TV provider the fastest server is used;
    /// after the first configuration has arrived, the other servers have three more seconds.
    ///
    /// A second call repeats all steps and does not disturb a sign-in in progress; if it fails, the earlier
    /// configuration stays. A call for another programmer ends the sign-in, the log-out, and all authorizations and
    /// preauthorizations in progress.
    public func setRequestor(_ requestorID: String, serviceProviders: [String] = []) {
        runner.call { _ in .setRequestor(requestorID, serviceProviders: serviceProviders) }
    }

    /// Checks whether a user is signed in, without network access. The delegate receives `setAuthenticationStatus`.
    public func checkAuthentication() { runner.call { _ in .checkAuthentication } }

    /// Signs the user in, if no user is signed in. The delegate receives `displayProviderDialog`, `navigate(toUrl:)` or
    /// `status` with a code, and finally `setAuthenticationStatus`.
    ///
    /// There is no picker if a TV provider was selected or the last sign-in with one succeeded. A second sign-in while
    /// one is in progress fails; the first one continues.
    ///
    /// - Parameters:
    ///   - forceAuthn: Whether to sign in even if a user is signed in: the login page is shown. If the sign-in fails,
    ///     the earlier token stays; a back end may have had to end the server's session to show the page, as the one
    ///     for REST v2 does.
    ///   - data: The data that the back end passes on.
    public func getAuthentication(_ forceAuthn: Bool = false, withData data: [String: String] = [:]) {
        runner.call { _ in .getAuthentication(SignInOptions(isForced: forceAuthn, genericData: data)) }
    }

    /// Signs the user in like `getAuthentication(_:withData:)`, with a filter for the picker of a platform sign-in.
    /// Linux has no platform sign-in, so the filter has no effect; if any TV provider supports platform sign-in, the
    /// delegate receives `status` with `VSA404`.
    public func getAuthentication(
        _ forceAuthn: Bool = false,
        withData data: [String: String] = [:],
        andFilter filter: [String: [String]]
    ) {
        runner.call { _ in
            .getAuthentication(SignInOptions(isForced: forceAuthn, genericData: data, hasFilter: true))
        }
    }

    /// Sets the TV provider that the user selected; nil means that the user cancelled. After a cancellation the
    /// delegate receives `setAuthenticationStatus`, and the programmer counts as signed out until a TV provider is
    /// selected. Tokens stay: they are valid again when their TV provider is selected again.
    ///
    /// A temporary pass signs in immediately, without `getAuthentication`.
    public func setSelectedProvider(_ mvpd: String?) { runner.call { _ in .setSelectedProvider(mvpd) } }

    /// Passes on the final address of a sign-in or log-out page. Any other address is ignored, and so is a repeated
    /// call.
    public func handleExternalURL(_ url: String) { runner.call { _ in .handleExternalURL(url) } }

    /// Requests authorization for a resource. The delegate receives `setToken` or `tokenRequestFailed`; the user is not
    /// prompted to sign in.
    ///
    /// An authorization is cached while it is valid; the media token is always a new one.
    public func checkAuthorization(_ resource: String, withData data: [String: String] = [:]) {
        runner.call {
            .authorization(AuthorizationCall(id: $0, resource: resource, genericData: data, signsIn: false))
        }
    }

    /// Requests authorization like `checkAuthorization(_:withData:)`; if no user is signed in, first signs in like
    /// `getAuthentication(_:withData:)`.
    public func getAuthorization(_ resource: String, withData data: [String: String] = [:]) {
        runner.call {
            .authorization(AuthorizationCall(id: $0, resource: resource, genericData: data, signsIn: true))
        }
    }

    /// Checks which resources are permitted. The delegate receives `preauthorizedResources` with the permitted ones, or
    /// with nil on failure.
    ///
    /// Use the result to show what can be watched; it does not replace an authorization.
    ///
    /// - Parameters:
    ///   - resources: The resources.
    ///   - cache: Whether a cached response for exactly the same resources may be used.
    public func checkPreauthorizedResources(_ resources: [String], cache: Bool = true) {
        runner.call { _ in .checkPreauthorizedResources(resources, usesCache: cache) }
    }

    /// Checks which resources are permitted. The callback receives the response; the delegate receives only `status`,
    /// with the reason for a failure.
    public func preauthorize(_ request: PreauthorizeRequest, didCompleteWith callback: AccessEnablerCallback) {
        runner.call({ _ in .preauthorize(request) }) { [weak self] outcome in
            guard case .preauthorization(let response) = outcome else { return }
            let isFailure = response.status?.status == 0
            self?.post { isFailure ? callback.onFailure(response) : callback.onResponse(response) }
        }
    }

    /// Reads the selected TV provider. The delegate receives `selectedProvider`.
    public func getSelectedProvider() { runner.call { _ in .getSelectedProvider } }

    /// Reads metadata. The delegate receives `setMetadataStatus`.
    public func getMetadata(_ key: MetadataKey) { runner.call { _ in .getMetadata(key) } }

    /// Reads metadata for a dictionary in Adobe's form. A dictionary with an unknown key is ignored.
    public func getMetadata(_ arguments: [String: String]) {
        if let key = MetadataKey(arguments) { getMetadata(key) }
    }

    /// Logs the user out of every programmer and every TV provider, in every app of the group. The delegate receives
    /// `setAuthenticationStatus` with 0.
    ///
    /// The store is wiped first, without waiting for `setRequestor` to end. Then a page logs out at the server: the
    /// delegate receives `navigate(toUrl:)`, and the app calls ``handleExternalURL(_:)`` when the page has finished. If
    /// the server cannot be notified, the user is nevertheless logged out, and `status` has the report
    /// ``StatusReport/ID/logOutNotTold``. A log-out on a second screen shows no page. A log-out before the first
    /// `setRequestor` notifies no server.
    public func logout() { runner.call { _ in .logOut } }
}
