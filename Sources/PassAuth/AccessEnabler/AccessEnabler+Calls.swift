extension AccessEnabler {
    /// Says which programmer the app is, and prepares all that follows: `setRequestorComplete`.
    ///
    /// In this order: the store's integrity check; registration; configuration, from the back end's server or from these, of
    /// which the fastest counts for each TV provider, and the others have three seconds more; Importer and Sanitizer; a
    /// sign-in without asking, where TV providers offer it; complete. A second call repeats all of this, and does not disturb a
    /// sign-in that is under way; if it fails, the earlier configuration stays. A call for another programmer ends everything
    /// that is under way.
    public func setRequestor(_ requestorID: String, serviceProviders: [String] = []) {
        runner.call { _ in .setRequestor(requestorID, serviceProviders: serviceProviders) }
    }

    /// Says whether somebody is signed in, without network: `setAuthenticationStatus`.
    public func checkAuthentication() { runner.call { _ in .checkAuthentication } }

    /// Signs the person in, if nobody is: `displayProviderDialog`, `navigate(toUrl:)` or `status` with a code, and in the
    /// end `setAuthenticationStatus`.
    ///
    /// If a TV provider was chosen, or the last sign-in with one went well, there is no picker. A second sign-in while
    /// one is under way fails; the first one goes on.
    ///
    /// - Parameters:
    ///   - forceAuthn: Whether to sign in even if a user is signed in: the person sees the page. If that fails, the earlier
    ///     token stays; a back end may have had to end the server's session for the page, as that of REST v2 has.
    ///   - data: The data that the back end passes on.
    public func getAuthentication(_ forceAuthn: Bool = false, withData data: [String: String] = [:]) {
        runner.call { _ in .getAuthentication(SignInOptions(isForced: forceAuthn, genericData: data)) }
    }

    /// As `getAuthentication(_:withData:)`, with a filter for the picker of a platform's sign-in. There is none on
    /// Linux, so the filter changes nothing; where TV providers take part in one, `status` is called with `VSA404`.
    public func getAuthentication(
        _ forceAuthn: Bool = false,
        withData data: [String: String] = [:],
        andFilter filter: [String: [String]]
    ) {
        runner.call { _ in
            .getAuthentication(SignInOptions(isForced: forceAuthn, genericData: data, hasFilter: true))
        }
    }

    /// Says which TV provider the person chose, or with nil that the person cancelled. Then `setAuthenticationStatus` is called,
    /// and the programmer counts as signed out until a TV provider is chosen. Tokens stay: if their TV provider is chosen again,
    /// they count again.
    ///
    /// A temporary pass signs in at once, with no `getAuthentication`.
    public func setSelectedProvider(_ mvpd: String?) { runner.call { _ in .setSelectedProvider(mvpd) } }

    /// Passes on the address to which the page of a sign-in or a log-out has led. Any other address, and any second one, is
    /// ignored.
    public func handleExternalURL(_ url: String) { runner.call { _ in .handleExternalURL(url) } }

    /// Asks whether a resource may be watched: `setToken` or `tokenRequestFailed`. Nobody is asked to sign in.
    ///
    /// An authorization is kept for as long as it is good; a media token is always a new one.
    public func checkAuthorization(_ resource: String, withData data: [String: String] = [:]) {
        runner.call {
            .authorization(AuthorizationCall(id: $0, resource: resource, genericData: data, signsIn: false))
        }
    }

    /// As `checkAuthorization(_:withData:)`; if nobody is signed in, first as `getAuthentication(_:withData:)`.
    public func getAuthorization(_ resource: String, withData data: [String: String] = [:]) {
        runner.call {
            .authorization(AuthorizationCall(id: $0, resource: resource, genericData: data, signsIn: true))
        }
    }

    /// Asks which resources are permitted: `preauthorizedResources`, with those of them that are, or nil.
    ///
    /// It is for showing what can be watched, and does not replace an authorization.
    ///
    /// - Parameters:
    ///   - resources: The resources.
    ///   - cache: Whether the kept answer to the very same question will do.
    public func checkPreauthorizedResources(_ resources: [String], cache: Bool = true) {
        runner.call { _ in .checkPreauthorizedResources(resources, usesCache: cache) }
    }

    /// Asks which resources are permitted; the delegate hears nothing of it.
    public func preauthorize(_ request: PreauthorizeRequest, didCompleteWith callback: AccessEnablerCallback) {
        runner.call({ _ in .preauthorize(request) }) { [weak self] outcome in
            guard case .preauthorization(let response) = outcome else { return }
            let isFailure = response.status?.status == 0
            self?.post { isFailure ? callback.onFailure(response) : callback.onResponse(response) }
        }
    }

    /// Asks which TV provider is chosen: `selectedProvider`.
    public func getSelectedProvider() { runner.call { _ in .getSelectedProvider } }

    /// Asks for metadata: `setMetadataStatus`.
    public func getMetadata(_ key: MetadataKey) { runner.call { _ in .getMetadata(key) } }

    /// Asks for metadata with Adobe's dictionary; a dictionary with an unknown key is ignored.
    public func getMetadata(_ arguments: [String: String]) {
        if let key = MetadataKey(arguments) { getMetadata(key) }
    }

    /// Logs the person out, of every programmer and every TV provider, in every app of the group:
    /// `setAuthenticationStatus` with 0.
    ///
    /// The store is wiped first, without waiting for `setRequestor` to end. Then the server's part is done on a page:
    /// `navigate(toUrl:)`, and ``handleExternalURL(_:)`` when it is over. If the server cannot be told, the person is logged
    /// out all the same, and `status` has the report ``StatusReport/ID/logOutNotTold``. A log-out on a second screen has no
    /// page; one before the first `setRequestor` tells no server.
    public func logout() { runner.call { _ in .logOut } }
}
