public import FoundationEssentials
public import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP
internal import SharedAuthRecords

extension PassRESTBackend {
    /// Creates a session. Returns a login page, a code for a second screen, or the profile that the server already has.
    ///
    /// If the profile is about to expire, or the sign-in is forced, ends the profile at the server first, so that the
    /// user gets a login page. With a second screen, that screen sets the redirect URL.
    public func startAuthentication(
        _ request: PassRequest,
        _ redirectURL: RedirectURL
    ) async throws(PassBackendError) -> AuthenticationStart {
        let redirect = Redirect(redirectURL)
        let start = try await start(request, redirect)
        guard case .signedIn(let profile) = start else { return start }
        let isEnding = profile.token.expires.timeIntervalSince(now()) <= Self.leastLife
        // A temporary pass and a degraded TV provider have no login page.
        guard profile.kind == .regular, isEnding || request.isForced else { return start }
        try await endProfile(request, redirectURL)
        return try await self.start(request, redirect)
    }

    /// Ends the profile at the server.
    ///
    /// - Throws: `invalidAnswer` if the response does not report the log-out; the next session might have no page then.
    private func endProfile(_ request: PassRequest, _ redirectURL: RedirectURL) async throws(PassBackendError) {
        let mvpd = try request.namedMVPD()
        let call = RESTCall.logOut(request.requestor, mvpd, redirectURL.address)
        let answer = try await answer(to: call, for: Caller(request))
        guard JSONObject(JSONObject(answer.object.members["logouts"])?.members[mvpd])?.string("actionName") != nil
        else {
            throw PassBackendError(.invalidAnswer, "Pass does not say whether it ended the earlier sign-in. Try again.")
        }
    }

    /// The shortest remaining life of a profile that is accepted as a sign-in. Servers and tokens use whole seconds.
    private static let leastLife: TimeInterval = 2

    private func start(
        _ request: PassRequest,
        _ redirect: Redirect?
    ) async throws(PassBackendError) -> AuthenticationStart {
        let caller = Caller(request)
        let mvpd = try request.namedMVPD()
        let parameters = SessionParameters(mvpd: mvpd, domain: request.domain, redirectURL: redirect?.address)
        let created = try await answer(to: .createSession(request.requestor, parameters), for: caller)
        var session = try SessionAnswer(created.object)
        if session.action == .resume, redirect != nil, let code = session.code {
            let resumed = try await answer(to: .resumeSession(request.requestor, code, parameters), for: caller)
            session = try SessionAnswer(resumed.object)
        }
        switch (session.action, session.code, session.url, redirect) {
        case (.authorize, _, _, _):
            guard let profile = try await profile(of: mvpd, for: request) else {
                throw PassBackendError(
                    .notAuthenticated,
                    "Pass requires no login page, but has no profile for this sign-in."
                )
            }
            return .signedIn(profile)
        case (.authenticate, let code?, _, nil), (.resume, let code?, _, nil):
            return .code(code, expires: now() + session.lifetime, AuthenticationAttempt(id: code))
        case (.authenticate, let code?, let url?, let redirect?):
            let attempt = AuthenticationAttempt(id: code, state: redirect.state)
            return .page(url: try created.server.address(of: url), attempt)
        default:
            throw PassBackendError(.invalidAnswer, "Pass did not start the sign-in: a parameter is wrong.")
        }
    }

    /// Returns the profile of a session, or nil until the user has signed in.
    public func profile(
        _ request: PassRequest,
        of attempt: AuthenticationAttempt
    ) async throws(PassBackendError) -> AuthenticationProfile? {
        try await profile(
            of: try request.namedMVPD(),
            by: .profile(request.requestor, code: attempt.id),
            for: Caller(request)
        )
    }

    /// Returns the profile that the app's service token shares, or else a profile that the server creates without a
    /// login page. Passive TV providers create one from the sign-in with another programmer. Returns nil if the session
    /// needs a login page.
    public func passiveProfile(_ request: PassRequest) async throws(PassBackendError) -> AuthenticationProfile? {
        let mvpd = try request.namedMVPD()
        if settings.serviceToken != nil, let profile = try await profile(of: mvpd, for: request) { return profile }
        let parameters = SessionParameters(mvpd: mvpd, domain: request.domain)
        let created = try await answer(to: .createSession(request.requestor, parameters), for: Caller(request))
        guard try SessionAnswer(created.object).action == .authorize else { return nil }
        return try await profile(of: mvpd, for: request)
    }

    /// Returns the profile's user metadata in the format of the SDK's servers.
    public func userMetadata(_ request: PassRequest) async throws(PassBackendError) -> Data? {
        let mvpd = try request.namedMVPD()
        let answer = try await answer(to: .profile(request.requestor, mvpd: mvpd), for: Caller(request))
        return try Profile(of: mvpd, in: answer, at: now())?.userMetadata
    }

    private func profile(
        of mvpd: String,
        for request: PassRequest
    ) async throws(PassBackendError) -> AuthenticationProfile? {
        try await profile(of: mvpd, by: .profile(request.requestor, mvpd: mvpd), for: Caller(request))
    }

    private func profile(
        of mvpd: String,
        by call: RESTCall,
        for caller: Caller
    ) async throws(PassBackendError) -> AuthenticationProfile? {
        let answer = try await answer(to: call, for: caller)
        return try Profile(of: mvpd, in: answer, at: now())?.authenticated(as: caller, mvpd, answer.client)
    }
}

/// The redirect URL of a login page, with a `state` that identifies this sign-in.
private struct Redirect {
    let address: String
    let state: String

    /// Nil for a second screen.
    init?(_ redirectURL: RedirectURL) {
        if redirectURL.isSecondScreen { return nil }
        let parts = redirectURL.address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        // An app that listens for the redirect itself may have added a state. Keep it: two states would be ambiguous.
        let query = parts[0].split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let own = query.split(separator: "&").first { $0.hasPrefix("state=") }?.dropFirst("state=".count)
        if let own, !own.isEmpty {
            (address, state) = (redirectURL.address, String(own))
            return
        }
        let mark = parts[0].contains("?") ? (parts[0].hasSuffix("?") || parts[0].hasSuffix("&") ? "" : "&") : "?"
        state = Base64URL.encode(randomBytes(16))
        address = "\(parts[0])\(mark)state=\(state)\(parts.count > 1 ? "#\(parts[1])" : "")"
    }
}

extension PassRequest {
    /// Returns the TV provider of the call.
    ///
    /// - Throws: `badRequest` if the call names none.
    func namedMVPD() throws(PassBackendError) -> String {
        if let mvpd { return mvpd }
        throw PassBackendError(.badRequest, "The call names no TV provider.")
    }
}
