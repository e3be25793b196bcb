internal import FoundationEssentials

extension EntitlementEngine {
    /// Reports whether a user is signed in, from the store alone.
    mutating func checkAuthentication(_ id: CallID, _ facts: Facts) {
        if let failure = facts.failure { return failStore(failure, id) }
        known = facts.session
        if let session = facts.session {
            track(session, isFromCache: true)
            return tellStatus(.authenticated, to: id)
        }
        report(configuration?.mvpd(facts.chosen.mvpd)?.isTemporary == true ? .temporaryPassExpired : .notAuthenticated)
        tell(.tracking(.authentication(.init(succeeded: false)), options.client))
        tellStatus(.failed(EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR), to: id)
    }

    /// Reports the selected TV provider: that of a sign-in in progress, else the stored selection.
    mutating func getSelectedProvider(_ id: CallID, _ facts: Facts) {
        let chosen = signIn?.mvpd ?? preselected ?? facts.chosen.mvpd
        let mvpd = configuration?.mvpd(chosen)
        tell(.tracking(.selectedProvider(mvpd: mvpd?.id), options.client))
        tell(.selectedProvider(mvpd))
        end(id, .provider(mvpd))
    }

    /// Announces a change of the session by another app, another process or the clock.
    mutating func compare(_ facts: Facts) {
        guard phase == .ready, facts.failure == nil, logOut == nil, facts.session != known else { return }
        let was = known
        known = facts.session
        if let session = facts.session {
            // A new token of the same user is not announced.
            if was?.token.userID == session.token.userID, was?.token.mvpd == session.token.mvpd { return }
            track(session, isFromCache: true)
            tell(.authentication(.authenticated))
            if signIn != nil, signIn?.options.isForced == false { finishSignIn(.authenticated, isTold: true) }
        } else {
            dropQuestions(EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR)
            if configuration?.mvpd(was?.token.mvpd)?.isTemporary == true { report(.temporaryPassExpired) }
            tell(.authentication(.failed(EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR)))
        }
    }

    /// Reports that the store could not be read or written; never as "signed out".
    mutating func failStore(_ error: PassStoreError, _ id: CallID?) {
        report(.internalError, error.message)
        tellStatus(.failed(EntitlementConstant.INTERNAL_AUTHENTICATION_ERROR), to: id)
    }

    mutating func tellStatus(_ status: AuthenticationStatus, to id: CallID?) {
        tell(.authentication(status))
        end(id, .status(status))
    }

    mutating func track(_ session: PassSession, isFromCache: Bool) {
        let mvpd = session.token.mvpd
        let isTemporary = configuration?.mvpd(mvpd)?.isTemporary == true
        let check = TrackingEvent.Check(
            succeeded: true,
            mvpd: mvpd,
            userID: isTemporary ? rules.fingerprint : session.token.userID,
            isFromCache: isFromCache
        )
        tell(.tracking(.authentication(check), options.client))
    }
}
