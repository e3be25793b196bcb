internal import FoundationEssentials

extension EntitlementEngine {
    /// Says whether somebody is signed in: from the store alone.
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

    /// Says which TV provider is chosen: of a sign-in that is under way, else the stored choice.
    mutating func getSelectedProvider(_ id: CallID, _ facts: Facts) {
        let chosen = signIn?.mvpd ?? preselected ?? facts.chosen.mvpd
        let mvpd = configuration?.mvpd(chosen)
        tell(.tracking(.selectedProvider(mvpd: mvpd?.id), options.client))
        tell(.selectedProvider(mvpd))
        end(id, .provider(mvpd))
    }

    /// Announces what another app, another process or the clock did to the session.
    mutating func compare(_ facts: Facts) {
        guard phase == .ready, facts.failure == nil, logOut == nil, facts.session != known else { return }
        let was = known
        known = facts.session
        if let session = facts.session {
            // A new token of the one who is signed in is no news.
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

    /// Reports that the store could not be read or written: never "nobody is signed in".
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
