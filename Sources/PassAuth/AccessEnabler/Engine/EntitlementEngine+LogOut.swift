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
}

extension EntitlementEngine {
    /// Wipes the store, then has the server's part done on a page; whatever comes of that, the person is logged out.
    mutating func logOut(_ id: CallID, _ facts: Facts?) {
        if logOut != nil {
            logOut?.calls.append(id)
            return
        }
        endFlows()
        logOut = LogOut(calls: [id], session: facts?.session)
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
        guard let session = logOut.session, configuration != nil else { return finishLogOut() }
        let mvpd = session.token.mvpd
        ask(.logOutURL(redirectURL(for: mvpd)), request(mvpd, session.token), for: .logOutURL)
    }

    mutating func takeLogOutURL(_ answer: Result<BackEndAnswer, PassBackendError>) {
        guard let logOut else { return }
        guard case .success(.logOutURL(let url?)) = answer, !rules.redirectURL.isSecondScreen else {
            return finishLogOut()
        }
        self.logOut?.isOnPage = true
        let isSecure = showsSecureBrowser(for: logOut.session?.token.mvpd)
        tell(.navigation(url: url, usesSecureBrowser: isSecure))
        wait(rules.logOutLimit, for: .logOutLeg)
    }

    /// Ends a log-out whose wipe is done.
    mutating func finishLogOut() {
        guard let ended = logOut else { return }
        cancel { [.step(.wipe), .question(.logOutURL), .wait(.logOutLeg)].contains($0) }
        logOut = nil
        let status = AuthenticationStatus.failed(EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR)
        if !ended.isAnnounced { tell(.authentication(status)) }
        tell(.loggedOut)
        for id in ended.calls { end(id, .status(status)) }
    }

    /// Ends what is under way; of a sign-in, the log-out's own status tells the app.
    private mutating func endFlows() {
        let code = EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR
        if signIn != nil { finishSignIn(.failed(code), isTold: true) }
        dropQuestions(code)
    }
}
