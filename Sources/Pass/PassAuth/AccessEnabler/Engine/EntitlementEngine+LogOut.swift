/// A log-out in progress.
struct LogOut: Sendable, Equatable {
    /// The calls that wait for it.
    var calls: [CallID]
    /// The session before the log-out.
    var session: PassSession?
    /// Indicates whether the app was already notified that no user is signed in.
    var isAnnounced = false
    /// Indicates whether the app shows the log-out page.
    var isOnPage = false
    /// Indicates whether the server is notified after the configuration in progress has ended.
    var waitsForConfiguration = false
}

extension EntitlementEngine {
    /// Wipes the store, then logs out at the server on a page; the user is logged out even if that fails.
    ///
    /// The wipe waits for nothing. If the programmer's first configuration is in progress, the server is notified after
    /// it.
    mutating func logOut(_ id: CallID, _ facts: Facts) {
        if logOut != nil {
            logOut?.calls.append(id)
            return
        }
        endFlows()
        endQueuedCalls()
        endPassiveSignIn()
        logOut = LogOut(calls: [id], session: facts.session)
        store(.wipe(configuration?.requestor), for: .wipe)
    }

    /// Handles a sign-out of the user shown by an `Auth`: the store is already wiped; the server is still to be
    /// notified.
    mutating func userSignedOut(_ id: CallID, _ session: PassSession) {
        if logOut != nil { return end(id, .done) }
        endFlows()
        logOut = LogOut(calls: [id], session: session, isAnnounced: known == nil)
        wiped(.success(.done))
    }

    mutating func wiped(_ answer: Result<StoreAnswer, PassStoreError>) {
        guard let logOut else { return }
        if case .failure(let error) = answer {
            self.logOut = nil
            report(.internalError, error.message)
            let status = AuthenticationStatus.failed(EntitlementConstant.INTERNAL_AUTHENTICATION_ERROR)
            tell(.authentication(status))
            for id in logOut.calls { end(id, .status(status)) }
            return
        }
        known = nil
        preselected = nil
        if logOut.session != nil, case .configuring(let configuring) = phase, configuration?.id != configuring.requestor
        {
            self.logOut?.waitsForConfiguration = true
            return announceLogOut()
        }
        tellServerOfLogOut()
    }

    /// Continues a log-out that waited for the configuration.
    ///
    /// - Parameter failure: The reason why there is no configuration; nil if there is one.
    mutating func continueLogOut(_ failure: String?) {
        guard logOut?.waitsForConfiguration == true else { return }
        logOut?.waitsForConfiguration = false
        if let failure { return finishLogOut(untold: failure) }
        // The store may hold a session with a TV provider of another programmer.
        if configuration?.mvpd(logOut?.session?.token.mvpd) == nil { return finishLogOut() }
        tellServerOfLogOut()
    }

    private mutating func tellServerOfLogOut() {
        guard let session = logOut?.session else { return finishLogOut() }
        guard configuration != nil else { return finishLogOut(untold: "The programmer is not configured.") }
        let mvpd = session.token.mvpd
        ask(.logOutURL(redirectURL(for: mvpd)), request(mvpd, session.token), for: .logOutURL)
    }

    mutating func takeLogOutURL(_ answer: Result<BackEndAnswer, PassBackendError>) {
        guard let logOut else { return }
        if case .failure(let error) = answer { return finishLogOut(untold: error.message) }
        guard case .success(.logOutURL(let url?)) = answer, !rules.redirectURL.isSecondScreen else {
            return finishLogOut()
        }
        self.logOut?.isOnPage = true
        let isSecure = showsSecureBrowser(for: logOut.session?.token.mvpd)
        tell(.navigation(url: url, usesSecureBrowser: isSecure))
        wait(rules.logOutLimit, for: .logOutLeg)
    }

    /// Ends a log-out whose wipe is done.
    ///
    /// - Parameter reason: The reason why the server could not be notified; nil if it was notified, or need
    ///   not be.
    mutating func finishLogOut(untold reason: String? = nil) {
        guard let ended = logOut else { return }
        cancel { [.step(.wipe), .question(.logOutURL), .wait(.logOutLeg)].contains($0) }
        if let reason { report(.logOutNotTold, reason) }
        announceLogOut()
        logOut = nil
        tell(.loggedOut)
        let status = AuthenticationStatus.failed(EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR)
        for id in ended.calls { end(id, .status(status)) }
    }

    private mutating func announceLogOut() {
        guard logOut?.isAnnounced == false else { return }
        logOut?.isAnnounced = true
        tell(.authentication(.failed(EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR)))
    }

    /// Ends the sign-in and all authorization and preauthorization requests. A sign-in reports no status: the status of
    /// the log-out replaces it.
    private mutating func endFlows() {
        let code = EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR
        if signIn != nil { finishSignIn(.failed(code), isTold: true) }
        dropQuestions(code)
    }

    /// Ends the calls that were made before the log-out, are queued for the configuration, and need a session.
    private mutating func endQueuedCalls() {
        let status = AuthenticationStatus.failed(EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR)
        let waiting = queue
        queue = []
        for (id, call) in waiting {
            switch call {
            case .getAuthentication: end(id, .status(status))
            case .setSelectedProvider: end(id, .done)
            case .authorization(let call): failAuthorization(call, EntitlementError(status.errorCode))
            case .checkPreauthorizedResources(let resources, _):
                let request = PreauthorizeRequest.Builder().setResources(resources).build()
                endSignedOut(PreauthorizationFlow(id: id, request: request, isOfOldCall: true))
            case .preauthorize(let request):
                endSignedOut(PreauthorizationFlow(id: id, request: request, isOfOldCall: false))
            default: queue.append((id, call))
            }
        }
    }
}
