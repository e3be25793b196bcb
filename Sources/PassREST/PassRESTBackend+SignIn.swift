public import FoundationEssentials
public import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP
internal import SharedAuthRecords

extension PassRESTBackend {
    /// Makes a session: a login page, a code for a second screen, or, where the server has a profile already, nothing.
    ///
    /// A profile that is about to expire does not count, and neither does any for a sign-in that is forced: the server's
    /// profile is ended then, so that there is a page. On a second screen, where the page leads in the end is that screen's to
    /// say.
    public func startAuthentication(
        _ request: PassRequest,
        _ redirectURL: RedirectURL
    ) async throws(PassBackendError) -> AuthenticationStart {
        let redirect = Redirect(redirectURL)
        let start = try await start(request, redirect)
        guard case .signedIn(let profile) = start else { return start }
        let isEnding = profile.token.expires.timeIntervalSince(now()) <= Self.leastLife
        // No page is there for a temporary pass, or while the TV provider is out of order.
        guard profile.kind == .regular, isEnding || request.isForced else { return start }
        try await endProfile(request, redirectURL)
        return try await self.start(request, redirect)
    }

    /// Ends the server's profile.
    ///
    /// - Throws: `invalidAnswer` if the answer does not say what became of it: the next session would need no page.
    private func endProfile(_ request: PassRequest, _ redirectURL: RedirectURL) async throws(PassBackendError) {
        let mvpd = try request.namedMVPD()
        let call = RESTCall.logOut(request.requestor, mvpd, redirectURL.address)
        let answer = try await answer(to: call, for: Caller(request))
        guard JSONObject(JSONObject(answer.object.members["logouts"])?.members[mvpd])?.string("actionName") != nil
        else {
            throw PassBackendError(.invalidAnswer, "Pass does not say whether it ended the earlier sign-in. Try again.")
        }
    }

    /// The time for which a profile has to be good to be worth a sign-in: servers and tokens have whole seconds.
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
                throw PassBackendError(.notAuthenticated, "Pass asks for no page, but has no profile for this sign-in.")
            }
            return .signedIn(profile)
        case (.authenticate, let code?, _, nil), (.resume, let code?, _, nil):
            return .code(code, expires: now() + session.lifetime, AuthenticationAttempt(id: code))
        case (.authenticate, let code?, let url?, let redirect?):
            let attempt = AuthenticationAttempt(id: code, state: redirect.state)
            return .page(url: try created.server.address(of: url), attempt)
        default:
            throw PassBackendError(.invalidAnswer, "Pass does not begin the sign-in: a parameter is wrong.")
        }
    }

    /// The profile of a session; nil as long as there is none.
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

    /// The profile that the app's service token gives; else the one of a session that needs nobody, which a TV provider
    /// that is passive makes of another programmer's sign-in. No page is shown: a session that needs one is left alone.
    public func passiveProfile(_ request: PassRequest) async throws(PassBackendError) -> AuthenticationProfile? {
        let mvpd = try request.namedMVPD()
        if settings.serviceToken != nil, let profile = try await profile(of: mvpd, for: request) { return profile }
        let parameters = SessionParameters(mvpd: mvpd, domain: request.domain)
        let created = try await answer(to: .createSession(request.requestor, parameters), for: Caller(request))
        guard try SessionAnswer(created.object).action == .authorize else { return nil }
        return try await profile(of: mvpd, for: request)
    }

    /// The profile's metadata of the person, as the SDK's servers write it.
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

/// The last address of a page, with the state that tells it from anybody else's.
private struct Redirect {
    let address: String
    let state: String

    /// Nil for a second screen.
    init?(_ redirectURL: RedirectURL) {
        if redirectURL.isSecondScreen { return nil }
        let parts = redirectURL.address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        // An app that listens for the redirect itself may have put a state there; twice, it would be nobody's.
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
    /// The TV provider that the call is about.
    func namedMVPD() throws(PassBackendError) -> String {
        if let mvpd { return mvpd }
        throw PassBackendError(.badRequest, "The call names no TV provider.")
    }
}
