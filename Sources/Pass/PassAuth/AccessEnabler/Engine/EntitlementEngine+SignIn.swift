internal import FoundationEssentials

/// A sign-in in progress.
struct SignIn: Sendable, Equatable {
    /// The stage of a sign-in.
    enum Stage: Sendable, Equatable {
        /// The app shows a picker.
        case picker
        /// The selection is being stored.
        case choosing
        /// The back end is starting the sign-in.
        case starting
        /// The app shows the login page.
        case page(AuthenticationAttempt)
        /// The user types a code on a second screen; the back end is polled.
        case code(AuthenticationAttempt, expires: Date)
        /// The back end is fetching the result of the login page.
        case fetching
        /// The token is being stored.
        case storing(AuthenticationProfile.Kind)
    }

    /// The call that started it; nil if an authorization or a selection started it, or if its caller has given it up.
    var call: CallID?
    var options: SignInOptions
    var stage = Stage.picker
    var mvpd: String?
    /// The session before it; only a forced sign-in starts with one.
    var earlier: PassSession?
    /// The authorization requests that wait for it.
    var waiting: [AuthorizationCall] = []
}

extension EntitlementEngine {
    mutating func getAuthentication(_ id: CallID, _ options: SignInOptions, _ facts: Facts) {
        if logOut != nil { finishLogOut() }
        if signIn != nil {
            return tellStatus(.failed(EntitlementConstant.MULTIPLE_AUTHENTICATION_REQUESTS_ERROR), to: id)
        }
        if let failure = facts.failure { return failStore(failure, id) }
        if let session = facts.session, !options.isForced {
            known = session
            track(session, isFromCache: true)
            return tellStatus(.authenticated, to: id)
        }
        if let mvpd = options.mvpd, configuration?.mvpd(mvpd) == nil {
            return tellStatus(.failed(EntitlementConstant.PROVIDER_NOT_AVAILABLE_ERROR), to: id)
        }
        begin(SignIn(call: id, options: options, earlier: facts.session), facts)
    }

    /// Starts with the TV provider that is selected or cached, or with the picker.
    mutating func begin(_ new: SignIn, _ facts: Facts) {
        signIn = new
        let mvpds = configuration?.mvpds ?? []
        if mvpds.isEmpty { return failSignIn(EntitlementConstant.PROVIDER_NOT_AVAILABLE_ERROR, isNoted: false) }
        if new.options.hasFilter, mvpds.contains(where: \.enablePlatformServices) {
            report(.platformUndetermined, "Linux has no platform sign-in: the app's own picker is used.")
        }
        let mayReuse = facts.chosen.canAuthenticate && rules.skipsPickerForLastProvider && !picksAgain
        let chosen = new.options.mvpd ?? preselected ?? (mayReuse ? facts.chosen.mvpd : nil)
        if let mvpd = chosen, configuration?.mvpd(mvpd) != nil {
            go(to: mvpd, facts)
        } else {
            tell(.providerDialog(mvpds))
        }
    }

    mutating func select(_ id: CallID, _ mvpd: String, _ facts: Facts) {
        tell(.tracking(.selectedProvider(mvpd: mvpd), options.client))
        guard let provider = configuration?.mvpd(mvpd) else {
            if signIn != nil { failSignIn(EntitlementConstant.PROVIDER_NOT_AVAILABLE_ERROR, isNoted: false) }
            return end(id, .failed(EntitlementError(EntitlementConstant.PROVIDER_NOT_AVAILABLE_ERROR)))
        }
        end(id, .done)
        if signIn != nil { return go(to: mvpd, facts) }
        preselected = mvpd
        let isSignedOut = facts.session == nil && facts.failure == nil
        // A temporary pass needs nothing else, and the token of a TV provider that is selected again is valid again.
        if provider.isTemporary, isSignedOut || facts.session?.token.mvpd != mvpd {
            let isSwitch = facts.session != nil
            signIn = SignIn(options: SignInOptions(isForced: isSwitch, isSwitch: isSwitch), earlier: facts.session)
            go(to: mvpd, facts)
        } else if isSignedOut, !isSessionForeign, facts.chosen.mvpd != mvpd, let requestor = configuration?.id {
            store(.choose(mvpd, requestor: requestor), for: .choice)
        }
    }

    private mutating func go(to mvpd: String, _ facts: Facts) {
        cancel { $0.isOfSignIn }
        preselected = nil
        signIn?.mvpd = mvpd
        if facts.session == nil, !isSessionForeign, facts.chosen.mvpd != mvpd, let requestor = configuration?.id {
            signIn?.stage = .choosing
            store(.choose(mvpd, requestor: requestor), for: .choice)
        } else {
            start()
        }
    }

    private mutating func start() {
        signIn?.stage = .starting
        ask(.start(redirectURL(for: signIn?.mvpd)), request(ofSignIn: signIn), for: .start)
    }

    private func request(ofSignIn signIn: SignIn?) -> PassRequest {
        var request = request(signIn?.mvpd, signIn?.earlier?.token, signIn?.options.genericData ?? [:])
        request.isForced = signIn?.options.isForced == true && signIn?.options.isSwitch == false
        return request
    }

    /// Handles the result of storing the selection of a TV provider.
    mutating func chosen(_ answer: Result<StoreAnswer, PassStoreError>, _ facts: Facts) {
        if case .failure(let error) = answer { return storingFailed(error) }
        guard let session = facts.session, signIn?.options.isForced != true else {
            if signIn != nil { start() }
            return
        }
        // The token of a TV provider that is selected again is valid again.
        (known, preselected) = (session, nil)
        track(session, isFromCache: true)
        finishSignIn(.authenticated)
    }

    /// Handles the result of storing the token of a sign-in.
    mutating func signedIn(_ answer: Result<StoreAnswer, PassStoreError>, _ facts: Facts) {
        if case .failure(let error) = answer { return storingFailed(error) }
        guard case .storing(let kind) = signIn?.stage else { return }
        known = facts.session
        if facts.session == nil, facts.failure == nil {
            // The session ended as soon as it was stored: another app logged out.
            report(.tokenNotFound)
            return failSignIn(EntitlementConstant.GENERIC_AUTHENTICATION_ERROR, isNoted: false)
        }
        if kind == .temporary { report(.temporaryAuthentication) }
        if kind == .degraded { report(.degradedAuthentication) }
        if let session = facts.session { track(session, isFromCache: false) }
        finishSignIn(.authenticated)
    }

    private mutating func storingFailed(_ error: PassStoreError) {
        guard signIn != nil else { return }
        report(.internalError, error.message)
        failSignIn(
            error.code == .invalidToken
                ? EntitlementConstant.GENERIC_AUTHENTICATION_ERROR
                : EntitlementConstant.INTERNAL_AUTHENTICATION_ERROR
        )
    }

    /// Handles the result of storing that no TV provider is selected.
    mutating func cancelled(_ answer: Result<StoreAnswer, PassStoreError>, _ facts: Facts) {
        switch answer {
        case .failure(let error): report(.internalError, error.message)
        case .success: known = facts.session
        }
        finishSignIn(.failed(EntitlementConstant.PROVIDER_NOT_SELECTED_ERROR))
    }

    mutating func advanceSignIn(_ answer: Result<BackEndAnswer, PassBackendError>, _ facts: Facts) {
        guard let stage = signIn?.stage else { return }
        switch (answer, stage) {
        case (.success(.start(.signedIn(let profile))), _), (.success(.profile(let profile?)), _):
            guard let requestor = configuration?.requestor else { return }
            if let words = ClockWords.expired(profile.token.expires, at: facts.now) {
                let isTemporary = profile.kind == .temporary
                report(isTemporary ? .temporaryPassExpired : .tokenNotFound, "The sign-in \(words)")
                return failSignIn(EntitlementConstant.GENERIC_AUTHENTICATION_ERROR)
            }
            signIn?.stage = .storing(profile.kind)
            store(.signIn(profile.token, requestor, metadata: profile.userMetadata), for: .signIn)
        case (.success(.start(.page(let url, let attempt))), _):
            signIn?.stage = .page(attempt)
            let isSecure = showsSecureBrowser(for: signIn?.mvpd)
            tell(.navigation(url: url, usesSecureBrowser: isSecure))
        case (.success(.start(.code(let code, let expires, let attempt))), _):
            signIn?.stage = .code(attempt, expires: expires)
            tell(.status(StatusReport(.registrationCode, message: code, registrationCode: code)))
            poll(facts)
        case (.success(.profile(nil)), .code):
            wait(rules.pollInterval, for: .poll)
        case (.success(.profile(nil)), _):
            report(.tokenNotFound, StatusReport.cancelledOnPage)
            failSignIn(EntitlementConstant.GENERIC_AUTHENTICATION_ERROR)
        case (.failure(let error), .code(_, let expires)) where error.isPassing:
            let pause = max(rules.pollInterval * 2, min(ServerPause.longest, error.retryAfter ?? .zero))
            // Once the code has expired, waiting longer is useless.
            wait(min(pause, max(.zero, .seconds(expires.timeIntervalSince(facts.now)))), for: .poll)
        case (.failure(let error), _):
            report(error.signInStatus(isSecondScreen: rules.redirectURL.isSecondScreen), error.message)
            failSignIn(EntitlementConstant.GENERIC_AUTHENTICATION_ERROR)
        case (.success, _):
            failSignIn(EntitlementConstant.INTERNAL_AUTHENTICATION_ERROR)
        }
    }

    /// Polls for the result of the second screen, unless the code has expired.
    mutating func poll(_ facts: Facts) {
        guard case .code(let attempt, let expires) = signIn?.stage else { return }
        if facts.now >= expires {
            report(.noRegistrationCode, "The registration code has expired. Begin again.")
            return failSignIn(EntitlementConstant.GENERIC_AUTHENTICATION_ERROR)
        }
        ask(.profile(attempt), request(ofSignIn: signIn), for: .profile)
    }

    /// Handles the final address of a page: ends a sign-in or a log-out, or does nothing.
    mutating func handleExternalURL(_ id: CallID, _ url: String) {
        end(id, .done)
        if let logOut, logOut.isOnPage {
            if rules.redirectURL.matches(url, state: nil) { finishLogOut() }
        } else if case .page(let attempt) = signIn?.stage, rules.redirectURL.matches(url, state: attempt.state) {
            signIn?.stage = .fetching
            ask(.profile(attempt), request(ofSignIn: signIn), for: .profile)
        }
    }

    /// Ends a sign-in that the user cancelled, and removes the programmer's selection; tokens stay.
    mutating func cancelSignIn(_ id: CallID) {
        if signIn?.stage == .picker { report(.pickerCancelled) }
        cancel { $0.isOfSignIn }
        end(id, .done)
        preselected = nil
        // The earlier session stays.
        let isKept = signIn?.options.isSwitch == true && signIn?.earlier != nil
        if isSessionForeign || isKept {
            return finishSignIn(.failed(EntitlementConstant.PROVIDER_NOT_SELECTED_ERROR))
        }
        if let requestor = configuration?.id { store(.choose(nil, requestor: requestor), for: .cancellation) }
    }

    /// Gives up a call whose caller no longer waits for it. A queued call ends; a call that waits for a sign-in ends
    /// too, with the sign-in if no other call waits for it. Work that needs no sign-in ends by itself.
    mutating func giveUp(_ call: CallID, _ id: CallID) {
        let code = EntitlementConstant.PROVIDER_NOT_SELECTED_ERROR
        if let index = queue.firstIndex(where: { $0.id == call }) {
            let given = queue.remove(at: index)
            end(id, .done)
            if case .authorization(let call) = given.call { return failAuthorization(call, EntitlementError(code)) }
            return tellStatus(.failed(code), to: call)
        }
        let index = signIn?.waiting.firstIndex { $0.id == call }
        let others = (signIn?.call == nil ? 0 : 1) + (signIn?.waiting.count ?? 0) - 1
        if others == 0, index != nil || signIn?.call == call { return cancelSignIn(id) }
        end(id, .done)
        if let index, let call = signIn?.waiting.remove(at: index) {
            failAuthorization(call, EntitlementError(code))
        } else if signIn?.call == call {
            signIn?.call = nil
            end(call, .status(.failed(code)))
        }
    }

    /// Ends a failed sign-in. The next one starts with the picker, unless an earlier session with another TV provider
    /// stays.
    mutating func failSignIn(_ code: String, isNoted: Bool = true) {
        guard let signIn else { return }
        cancel { $0.isOfSignIn }
        let isOfChoice = signIn.earlier == nil || signIn.earlier?.token.mvpd == signIn.mvpd
        if isNoted, isOfChoice, !isSessionForeign, let mvpd = signIn.mvpd, let requestor = configuration?.id {
            store(.choose(mvpd, requestor: requestor), for: .nothing)
        }
        tell(.tracking(.authentication(.init(succeeded: false, mvpd: signIn.mvpd ?? "")), options.client))
        finishSignIn(.failed(code))
    }

    /// Ends a sign-in, and resumes or fails the calls that wait for it.
    mutating func finishSignIn(_ status: AuthenticationStatus, isTold: Bool = false) {
        let ended = signIn
        cancel { $0.isOfSignIn }
        signIn = nil
        picksAgain = isSessionForeign && !status.isAuthenticated
        if isTold { end(ended?.call, .status(status)) } else { tellStatus(status, to: ended?.call) }
        for call in ended?.waiting ?? [] {
            if status.isAuthenticated {
                resume(call.id, .authorization(call))
            } else {
                failAuthorization(call, EntitlementError(status.errorCode))
            }
        }
    }
}

extension PassBackendError {
    /// True if a later request may succeed.
    fileprivate var isPassing: Bool { [.throttled, .network, .timedOut, .server].contains(code) }

    fileprivate func signInStatus(isSecondScreen: Bool) -> StatusReport.ID {
        switch code {
        case .temporaryPassExpired: .temporaryPassExpired
        case .notAuthenticated: .tokenNotFound
        case .notRegistered: .notRegistered
        case .noAccessToken: .noAccessToken
        case .badDomain: .badDomain
        case .deviceMismatch: .deviceMismatch
        default: isSecondScreen ? .noRegistrationCode : .authenticationFailed
        }
    }
}
