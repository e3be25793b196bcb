/// A log-out that is under way.
struct LogOut: Sendable, Equatable {
    /// The calls that wait for it.
    var calls: [CallID]
    /// The session that there was.
    var session: PassSession?
    /// Whether the app has heard already that nobody is signed in.
    var isAnnounced = false
    /// Whether the app shows the log-out page.
    var isOnPage = false
    /// Whether the server is told when the configuration that is under way has ended.
    var waitsForConfiguration = false
}

extension EntitlementEngine {
    /// Wipes the store, then has the server's part done on a page; whatever comes of that, the person is logged out.
    ///
    /// The wipe waits for nothing. Where a configuration is under way, the server's part begins after it.
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

    /// The user whom an `Auth` shows was signed out: the store is wiped, and the server's part is still to be done.
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

    /// Goes on with a log-out that waited for the configuration.
    ///
    /// - Parameter failure: Why there is no configuration; nil where there is one.
    mutating func continueLogOut(_ failure: String?) {
        guard logOut?.waitsForConfiguration == true else { return }
        logOut?.waitsForConfiguration = false
        if let failure { return finishLogOut(untold: failure) }
        // The store knows other programmers' TV providers too.
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
    /// - Parameter reason: Why the server could not be told; nil if it was, or there was nothing to tell.
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

    /// Ends what is under way; of a sign-in, the log-out's own status tells the app.
    private mutating func endFlows() {
        let code = EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR
        if signIn != nil { finishSignIn(.failed(code), isTold: true) }
        dropQuestions(code)
    }

    /// Ends the calls that were made before the log-out, wait for the configuration, and need a session.
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
