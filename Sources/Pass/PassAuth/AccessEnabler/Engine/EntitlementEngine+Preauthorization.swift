/// A preauthorization request in progress.
struct PreauthorizationFlow: Sendable, Equatable {
    let id: CallID
    let request: PreauthorizeRequest
    /// Indicates whether the call is `checkPreauthorizedResources`, whose result the delegate receives.
    let isOfOldCall: Bool
    var session: PassSession?
}

extension EntitlementEngine {
    /// Returns decisions from the token's list, from the cached response for exactly the same resources, or from the
    /// server.
    mutating func preauthorize(_ flow: PreauthorizationFlow, _ facts: Facts) {
        var flow = flow
        if let failure = facts.failure {
            report(.internalError, failure.message)
            return fail(flow, "network_error", action: "none", failure.message)
        }
        guard let session = facts.session else { return endSignedOut(flow) }
        flow.session = session
        let resources = flow.request.resources
        let mvpd = configuration?.mvpd(session.token.mvpd)
        if mvpd?.isTemporary == true || mvpd?.isDegraded == true {
            return deliver(resources.map { .init(id: $0, authorized: true) }, flow)
        }
        if resources.isEmpty { return deliver([], flow) }
        if let permitted = session.token.preauthorizedResources(among: resources) {
            return deliver(resources, permitted: Set(permitted), flow)
        }
        if !flow.request.disabledFeatures.contains(.localCache), let kept = facts.cache?.preauthorization,
            kept.resources == Set(resources)
        {
            return deliver(resources, permitted: kept.permitted, flow)
        }
        let limit = configuration?.preauthorizationLimit ?? 0
        if resources.count > limit {
            let message = "At most \(limit) resources can be requested in one call."
            report(.preauthorizationFailed, message)
            return fail(flow, "too_many_resources", action: "none", message)
        }
        preauthorizations[flow.id] = flow
        ask(
            .preauthorization(flow.request),
            request(session.token.mvpd, session.token),
            for: .preauthorization(flow.id)
        )
    }

    mutating func takeDecisions(_ answer: Result<BackEndAnswer, PassBackendError>, _ id: CallID, _ facts: Facts) {
        guard let flow = preauthorizations.removeValue(forKey: id), let session = flow.session else { return }
        switch answer {
        case .success(.decisions(let decisions)):
            let permitted = decisions.filter(\.authorized).map(\.id)
            let kept = Preauthorization(resources: Set(flow.request.resources), permitted: Set(permitted))
            store(.keepPreauthorization(kept, session), for: .nothing)
            deliver(decisions.filter { flow.request.resources.contains($0.id) }, flow)
        case .success:
            report(.preauthorizationFailed)
            fail(flow, "server_response_format_unknown", action: "none", "The response could not be decoded.")
        case .failure(let error):
            report(.preauthorizationFailed, error.message)
            if let status = error.serverStatus, !flow.isOfOldCall {
                return end(id, .preauthorization(PreauthorizeResponse(status: status, decisions: [])))
            }
            let (code, action) = error.preauthorizeStatus
            fail(flow, code, action: action, error.message)
        }
    }

    private mutating func deliver(_ resources: [String], permitted: Set<String>, _ flow: PreauthorizationFlow) {
        deliver(resources.map { .init(id: $0, authorized: permitted.contains($0)) }, flow)
    }

    private mutating func deliver(_ decisions: [PreauthorizeResponse.Decision], _ flow: PreauthorizationFlow) {
        guard flow.isOfOldCall else {
            return end(flow.id, .preauthorization(PreauthorizeResponse(status: nil, decisions: decisions)))
        }
        let permitted = Set(decisions.filter(\.authorized).map(\.id))
        let resources = flow.request.resources.filter(permitted.contains)
        tell(.preauthorizedResources(resources))
        end(flow.id, .resources(resources))
    }

    mutating func endSignedOut(_ flow: PreauthorizationFlow) {
        preauthorizations[flow.id] = nil
        let code = flow.session == nil ? "authentication_session_missing" : "authentication_session_expired"
        fail(flow, code, action: "authentication", "No user is signed in.")
    }

    private mutating func fail(_ flow: PreauthorizationFlow, _ code: String, action: String, _ message: String) {
        guard flow.isOfOldCall else { return failPreauthorize(flow.id, code, action: action, message) }
        tell(.preauthorizedResources(nil))
        end(flow.id, .failed(EntitlementError(EntitlementConstant.GENERIC_AUTHORIZATION_ERROR, message)))
    }

    mutating func failPreauthorize(_ id: CallID, _ code: String, action: String, _ message: String = "") {
        let status = PreauthorizeResponse.Status(status: 0, code: code, message: message, action: action)
        end(id, .preauthorization(PreauthorizeResponse(status: status, decisions: [])))
    }
}

extension PassBackendError {
    fileprivate var preauthorizeStatus: (code: String, action: String) {
        switch code {
        case .notAuthenticated: ("authentication_session_expired", "authentication")
        case .signedInByOtherApp: ("authentication_session_missing", "authentication")
        case .noAccessToken, .notRegistered: ("access_token_unavailable", "application-registration")
        case .invalidAnswer: ("server_response_format_unknown", "none")
        case .tooManyResources: ("too_many_resources", "none")
        case .throttled: ("too_many_requests", "retry-after")
        default: ("network_error", "none")
        }
    }
}
