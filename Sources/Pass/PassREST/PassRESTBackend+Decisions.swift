internal import FoundationEssentials
public import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

extension PassRESTBackend {
    /// Returns the programmer's configuration, with the server's time from the response.
    public func configuration(_ request: PassRequest) async throws(PassBackendError) -> PassConfiguration {
        let call = RESTCall.configuration(request.requestor, profile: request.options.applicationProfile)
        return try PassConfiguration(try await answer(to: call, for: Caller(request)))
    }

    /// Requests a decision, which includes the media token. The authorization has no signature.
    public func authorize(
        _ request: PassRequest,
        resource: String
    ) async throws(PassBackendError) -> AuthorizationAnswer {
        let mvpd = try request.namedMVPD()
        let decision = try await decision(request, resource)
        guard let expires = decision.expires else {
            throw PassBackendError(.invalidAnswer, "The decision from Pass has no expiry date.")
        }
        do throws(PassTokenError) {
            let authorization = try AuthorizationToken(
                requestor: request.requestor,
                resource: resource,
                mvpd: mvpd,
                expires: expires,
                fingerprint: request.fingerprint
            )
            return AuthorizationAnswer(authorization, mediaToken: decision.mediaToken, kind: decision.kind)
        } catch {
            throw PassBackendError(.malformedResource, error.message)
        }
    }

    /// Requests the decision again and returns its media token.
    public func mediaToken(
        _ request: PassRequest,
        for authorization: AuthorizationToken
    ) async throws(PassBackendError) -> String {
        guard let token = try await decision(request, authorization.resource).mediaToken else {
            throw PassBackendError(.invalidAnswer, "The decision from Pass has no media token.")
        }
        return token
    }

    /// Requests decisions for display: which resources the user may watch.
    public func preauthorize(
        _ request: PassRequest,
        _ question: PreauthorizeRequest
    ) async throws(PassBackendError) -> [PreauthorizeResponse.Decision] {
        let answer = try await answer(.preauthorize, request, question.resources)
        return try Decision.all(in: answer, at: now()).map(\.preauthorized)
    }

    /// Ends the profile at Pass and returns the TV provider's log-out page, or nil if it has none.
    public func logOutURL(
        _ request: PassRequest,
        _ redirectURL: RedirectURL
    ) async throws(PassBackendError) -> String? {
        let mvpd = try request.namedMVPD()
        let call = RESTCall.logOut(request.requestor, mvpd, redirectURL.address)
        let answer = try await answer(to: call, for: Caller(request))
        let logOut = JSONObject(JSONObject(answer.object.members["logouts"])?.members[mvpd])
        guard logOut?.string("actionName") == "logout", let url = logOut?.string("url") else { return nil }
        return try answer.server.address(of: url)
    }

    /// Returns the decision that permits a resource.
    ///
    /// - Throws: The error of the decision if it denies the resource; `invalidAnswer` if there is no decision.
    private func decision(_ request: PassRequest, _ resource: String) async throws(PassBackendError) -> Decision {
        let answer = try await answer(.authorize, request, [resource])
        let decisions = try Decision.all(in: answer, at: now())
        guard let decision = decisions.first(where: { $0.resource.utf8.elementsEqual(resource.utf8) }) else {
            throw PassBackendError(.invalidAnswer, "The response from Pass has no decision about the resource.")
        }
        if decision.isPermitted { return decision }
        throw Caller(request).attributed(decision.error ?? PassBackendError(.denied), to: answer.client)
    }

    private func answer(
        _ kind: DecisionKind,
        _ request: PassRequest,
        _ resources: [String]
    ) async throws(PassBackendError) -> RESTAnswer {
        let call = RESTCall.decisions(kind, request.requestor, mvpd: try request.namedMVPD(), resources: resources)
        return try await answer(to: call, for: Caller(request))
    }
}
