internal import FoundationEssentials

/// An authorization request in progress.
struct AuthorizationFlow: Sendable, Equatable {
    let call: AuthorizationCall
    let session: PassSession
    /// Indicates whether the authorization is a cached one.
    var isFromCache = false
    var authorization: AuthorizationToken?
    /// A media token that was part of the authorization response.
    var mediaToken: String?
    var kind = AuthenticationProfile.Kind.regular
}

extension EntitlementEngine {
    mutating func authorize(_ call: AuthorizationCall, _ facts: Facts) {
        if let failure = facts.failure {
            report(.internalError, failure.message, resource: call.resource)
            return failAuthorization(call, EntitlementError(EntitlementConstant.INTERNAL_AUTHORIZATION_ERROR))
        }
        guard let session = facts.session else { return authorizeSignedOut(call, facts) }
        var flow = AuthorizationFlow(call: call, session: session)
        if let kept = facts.authorization, isUsable(kept, in: flow, at: facts.now) {
            flow.isFromCache = true
            flow.authorization = kept
            askForMediaToken(flow)
        } else {
            authorizations[call.id] = flow
            ask(.authorization(resource: call.resource), request(of: flow), for: .authorization(call.id))
        }
    }

    /// Handles a request while no user is signed in: fails, or waits for a sign-in, which is started if necessary.
    private mutating func authorizeSignedOut(_ call: AuthorizationCall, _ facts: Facts) {
        if !call.signsIn {
            let code = EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR
            tell(.authentication(.failed(code)))
            return failAuthorization(call, EntitlementError(code))
        }
        if logOut != nil { finishLogOut() }
        if signIn != nil {
            signIn?.waiting.append(call)
        } else {
            begin(SignIn(options: SignInOptions(genericData: call.genericData), waiting: [call]), facts)
        }
    }

    mutating func takeAuthorization(
        _ answer: Result<BackEndAnswer, PassBackendError>,
        _ id: CallID,
        _ facts: Facts
    ) {
        guard var flow = authorizations[id] else { return }
        switch answer {
        case .failure(let error):
            fail(flow, error)
        case .success(.authorization(let answer)) where isUsable(answer.authorization, in: flow, at: facts.now):
            flow.authorization = answer.authorization
            flow.mediaToken = answer.mediaToken
            flow.kind = answer.kind
            authorizations[id] = flow
            store(.keep(answer.authorization, flow.session), for: .authorizationKept(id))
        case .success(let answer):
            var message = "The authorization is not valid for this request."
            if case .authorization(let answer) = answer,
                let words = ClockWords.expired(answer.authorization.expires, at: facts.now)
            {
                message = "The authorization \(words)"
            }
            report(.authorizationFailed, message, resource: flow.call.resource)
            fail(flow, EntitlementError(EntitlementConstant.INTERNAL_AUTHORIZATION_ERROR, message))
        }
    }

    mutating func authorizationKept(
        _ answer: Result<StoreAnswer, PassStoreError>,
        _ id: CallID,
        _ facts: Facts
    ) {
        guard let flow = authorizations[id] else { return }
        switch answer {
        case .failure(let error) where error.code == .sessionEnded:
            fail(flow, EntitlementError(EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR))
        case .failure(let error):
            // It is requested again the next time; the user may watch now.
            report(.internalError, error.message, resource: flow.call.resource)
            fallthrough
        case .success:
            if let token = flow.mediaToken { deliver(token, flow) } else { askForMediaToken(flow) }
        }
    }

    mutating func takeMediaToken(_ answer: Result<BackEndAnswer, PassBackendError>, _ id: CallID, _ facts: Facts) {
        guard let flow = authorizations[id] else { return }
        switch answer {
        case .success(.mediaToken(let token)): deliver(token, flow)
        case .failure(let error): fail(flow, error)
        case .success: fail(flow, PassBackendError(.invalidAnswer))
        }
    }

    private mutating func askForMediaToken(_ flow: AuthorizationFlow) {
        guard let authorization = flow.authorization else { return }
        authorizations[flow.call.id] = flow
        ask(.mediaToken(authorization), request(of: flow), for: .mediaToken(flow.call.id))
    }

    private mutating func deliver(_ token: String, _ flow: AuthorizationFlow) {
        authorizations[flow.call.id] = nil
        switch flow.kind {
        case .temporary: report(.temporaryAuthorization, resource: flow.call.resource)
        case .degraded: report(.degradedAuthorization, resource: flow.call.resource)
        case .regular: break
        }
        let check = TrackingEvent.Check(
            succeeded: true,
            mvpd: flow.session.token.mvpd,
            userID: flow.session.token.userID,
            isFromCache: flow.isFromCache
        )
        tell(.tracking(.authorization(check, error: "", details: ""), options.client))
        tell(.token(token, resource: flow.call.resource))
        end(flow.call.id, .token(token))
    }

    private func isUsable(_ token: AuthorizationToken, in flow: AuthorizationFlow, at date: Date) -> Bool {
        let session = flow.session
        let verdict = token.verdict(
            at: date,
            fingerprint: session.token.fingerprint,
            allowedIssuers: [session.token.mvpd],
            requestor: session.requestor,
            publicKey: rules.publicKey
        )
        return verdict == .valid && token.resource.utf8.elementsEqual(flow.call.resource.utf8)
    }

    private func request(of flow: AuthorizationFlow) -> PassRequest {
        request(flow.session.token.mvpd, flow.session.token, flow.call.genericData)
    }

    // MARK: Failures

    private mutating func fail(_ flow: AuthorizationFlow, _ error: PassBackendError) {
        let resource = flow.call.resource
        switch error.code {
        case .deviceMismatch:
            report(.deviceMismatch, error.message, resource: resource)
            loseSession(.discardDevice(flow.session), flow)
        case .notAuthenticated:
            report(.tokenNotFound, error.message, resource: resource)
            loseSession(.discard(flow.session), flow)
        case .signedInByOtherApp:
            report(.tokenNotFound, error.message, resource: resource)
            foreign = flow.session
            loseSession(nil, flow)
        default:
            let (id, code) = error.authorizationStatus
            report(id, error.message, resource: resource)
            fail(flow, EntitlementError(code, error.message))
        }
    }

    /// Handles a session that Pass reports as ended: removes its token, if it is this app's, and ends its
    /// authorization and preauthorization requests.
    private mutating func loseSession(_ step: StoreStep?, _ flow: AuthorizationFlow) {
        let code = EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR
        if let step { store(step, for: .nothing) }
        known = nil
        tell(.authentication(.failed(code)))
        dropQuestions(code)
    }

    private mutating func fail(_ flow: AuthorizationFlow, _ error: EntitlementError) {
        authorizations[flow.call.id] = nil
        failAuthorization(flow.call, error, flow.session.token.mvpd)
    }

    mutating func failAuthorization(_ call: AuthorizationCall, _ error: EntitlementError, _ mvpd: String = "") {
        let check = TrackingEvent.Check(succeeded: false, mvpd: mvpd)
        tell(.tracking(.authorization(check, error: error.code, details: error.details), options.client))
        tell(.tokenRequestFailed(error, resource: call.resource))
        end(call.id, .failed(error))
    }

    /// Ends the authorization and preauthorization requests of a session that has ended.
    mutating func dropQuestions(_ code: String) {
        let flows = authorizations.values.sorted { $0.call.id < $1.call.id }
        let questions = preauthorizations.values.sorted { $0.id < $1.id }
        cancel { purpose in
            switch purpose {
            case .question(.authorization), .step(.authorizationKept), .question(.mediaToken),
                .question(.preauthorization):
                true
            default: false
            }
        }
        for flow in flows { fail(flow, EntitlementError(code)) }
        for question in questions { endSignedOut(question) }
    }
}

extension PassBackendError {
    /// The report for a failed authorization, and its error string.
    fileprivate var authorizationStatus: (StatusReport.ID, String) {
        let refused = EntitlementConstant.USER_NOT_AUTHORIZED_ERROR
        return switch code {
        case .denied, .throttled: (.denied, refused)
        case .deniedRepeatedly: (.deniedRepeatedly, refused)
        case .deniedByDegradation: (.deniedByDegradation, refused)
        case .temporaryPassExpired: (.temporaryPassExpired, refused)
        case .malformedResource: (.malformedResource, EntitlementConstant.GENERIC_AUTHORIZATION_ERROR)
        case .providerUnreachable, .network, .timedOut, .server:
            (.providerUnreachable, EntitlementConstant.GENERIC_AUTHORIZATION_ERROR)
        default: (.authorizationFailed, EntitlementConstant.INTERNAL_AUTHORIZATION_ERROR)
        }
    }
}
