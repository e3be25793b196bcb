internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth

// Sessions: creates a sign-in, whose code leads to the TV provider's page.

extension Route {
    static let signIn = [
        Route("authenticate", "GET", "api/v2/authenticate/{sp}/{code}") { state, call, now throws(Refusal) in
            try state.authenticate(call, now)
        },
        Route("sessions", "POST", "api/v2/{sp}/sessions") { state, call, now throws(Refusal) in
            try state.beginSession(call, now)
        },
        Route("resume", "POST", "api/v2/{sp}/sessions/{code}") { state, call, now throws(Refusal) in
            try state.resumeSession(call, now)
        },
        Route("session", "GET", "api/v2/{sp}/sessions/{code}") { state, call, now throws(Refusal) in
            _ = try state.caller(call, now: now)
            let session = try state.session(call.parameter("code"), of: call.parameter("sp"), now)
            return .json(
                JSONValue.object([
                    "existingParameters": .object(session.existing.mapValues(JSONValue.string)),
                    "missingParameters": session.missing.isEmpty
                        ? .null : .array(session.missing.map(JSONValue.string)),
                    "device": .object([:]),
                    "notBefore": .timeText(session.begins), "notAfter": .timeText(session.expires),
                ]).withoutNulls
            )
        },
    ]
}

extension ServerState {
    /// Returns a sign-in in progress.
    func session(_ code: String, of requestor: String? = nil, _ now: Date) throws(Refusal) -> LoginSession {
        guard let session = sessions[code], now < session.expires, !session.isOver,
            requestor == nil || session.requestor == requestor
        else {
            throw Refusal(
                400,
                "invalid_parameter_code",
                "The code is unknown, used or expired. Begin again."
            )
        }
        return session
    }

    fileprivate mutating func beginSession(_ call: Call, _ now: Date) throws(Refusal) -> ServedAnswer {
        let caller = try caller(call, now: now)
        let programmer = try programmer(call.parameter("sp"))
        sessions = sessions.filter { now < $0.value.expires }
        let session = LoginSession(
            code: LoginSession.newCode(),
            id: UUID().uuidString.lowercased(),
            requestor: programmer.id,
            caller: caller,
            begins: now
        )
        return try proceed(session, call, now, status: 201)
    }

    fileprivate mutating func resumeSession(_ call: Call, _ now: Date) throws(Refusal) -> ServedAnswer {
        _ = try caller(call, now: now)
        let session = try session(call.parameter("code"), of: call.parameter("sp"), now)
        return try proceed(session, call, now, status: 200)
    }

    /// Adds the form's parameters to a session, and returns its next step.
    private mutating func proceed(
        _ known: LoginSession,
        _ call: Call,
        _ now: Date,
        status: Int
    ) throws(Refusal) -> ServedAnswer {
        let session = try adding(call.form, to: known)
        if let mvpd = session.mvpd {
            let programmer = try programmer(session.requestor)
            let provider = try provider(mvpd, of: programmer)
            let context = CallContext(programmer: programmer, provider: provider, caller: known.caller, now: now)
            if let reason = try signInWithoutPage(in: context) {
                journal.note(
                    "signed-in",
                    ["requestor": programmer.id, "mvpd": mvpd, "reason": reason]
                )
                return .json(session.direct(to: mvpd, because: reason), status: status)
            }
        }
        sessions[session.code] = session
        journal.note("session", ["requestor": session.requestor, "mvpd": session.mvpd])
        return .json(session.next(isResumed: status == 200), status: status)
    }

    /// Returns a session with the parameters of a form.
    func adding(_ form: FormFields, to known: LoginSession) throws(Refusal) -> LoginSession {
        var session = known
        let programmer = try programmer(session.requestor)
        if let mvpd = form["mvpd"], !mvpd.isEmpty { session.mvpd = try provider(mvpd, of: programmer).id }
        if let domain = form["domainName"], !domain.isEmpty {
            guard programmer.domains.contains(domain) else {
                throw Refusal(
                    400,
                    "invalid_parameter_domain_name",
                    "The domain is not one of the programmer's. Use one from its configuration.",
                    action: "configuration"
                )
            }
            session.domain = domain
        }
        if let address = form["redirectUrl"], !address.isEmpty {
            guard address.contains("://"), !address.lowercased().hasPrefix("javascript:") else {
                throw Refusal(400, "invalid_parameter_redirect_url", "The redirectUrl is not an address.")
            }
            session.redirectURL = address
        }
        return session
    }

    /// Signs in without a page if possible. Returns the reason why no page is needed, or nil if a page is needed.
    private mutating func signInWithoutPage(in context: CallContext) throws(Refusal) -> String? {
        let (provider, requestor, now) = (context.provider, context.programmer.id, context.now)
        if provider.temporaryPass != nil {
            try beginTemporaryPass(in: context)
            return "temporary"
        }
        if provider.degradation == .authenticatesAll {
            add(.degraded, in: context, user: "degraded", until: now + 3600)
            return "degraded"
        }
        if case .good = profiles.find(requestor, provider, for: context.caller, now: now) { return "authenticated" }
        if provider.isPassive,
            let other = profiles.ofOtherProgrammer(than: requestor, provider.id, for: context.caller, now: now)
        {
            journal.note("passive", ["requestor": requestor, "mvpd": provider.id])
            add(.regular, in: context, user: other.user, until: other.expires)
            return "authenticated"
        }
        return nil
    }

    mutating func add(
        _ kind: Profile.Kind,
        in context: CallContext,
        user: String,
        domain: String? = nil,
        until expires: Date
    ) {
        profiles.add(
            Profile(
                requestor: context.programmer.id,
                mvpd: context.provider.id,
                caller: context.caller,
                user: user,
                domain: domain ?? context.programmer.domains.first ?? "",
                kind: kind,
                begins: context.now,
                expires: expires
            )
        )
    }

    /// Sends the browser to the TV provider's login page. With the query item `grant`, signs the user "viewer" in
    /// without a page.
    fileprivate mutating func authenticate(_ call: Call, _ now: Date) throws(Refusal) -> ServedAnswer {
        var session = try session(call.parameter("code"), of: call.parameter("sp"), now)
        if session.redirectURL == nil {
            session.redirectURL = Self.afterSecondScreen
            sessions[session.code] = session
        }
        guard let mvpd = session.mvpd else { return .redirect(to: "/activate?code=\(session.code)") }
        if call.query["grant"] != nil { return try complete(session, of: "viewer", now).answer }
        return .redirect(to: "/mvpd/\(mvpd)/login?code=\(session.code)")
    }

    /// The last page in a second screen's browser.
    static let afterSecondScreen = "/activated"

    /// Completes a sign-in: adds the user's profile.
    mutating func complete(_ session: LoginSession, of person: String, _ now: Date) throws(Refusal) -> PageRedirect {
        let programmer = try programmer(session.requestor)
        guard let mvpd = session.mvpd else { throw .notFound("TV provider in this sign-in") }
        let provider = try provider(mvpd, of: programmer)
        add(
            .regular,
            in: CallContext(programmer: programmer, provider: provider, caller: session.caller, now: now),
            user: Self.userID(of: person, at: mvpd),
            domain: session.domain,
            until: now + controls.lifetimes.profile
        )
        sessions[session.code]?.isOver = true
        journal.note("signed-in", ["requestor": programmer.id, "mvpd": mvpd, "reason": "page"])
        return PageRedirect(address: session.redirectURL ?? Self.afterSecondScreen, isSignedIn: true)
    }
}

extension LoginSession {
    private func answer(action: String, type: String, reason: String, url: String) -> JSONValue {
        JSONValue.object([
            "actionName": .string(action), "actionType": .string(type), "reasonType": .string(reason),
            "url": .string(url), "code": .string(code), "sessionId": .string(id), "mvpd": JSONValue(mvpd),
            "serviceProvider": .string(requestor),
            "missingParameters": missing.isEmpty ? .null : .array(missing.map(JSONValue.string)),
            "notBefore": .timeText(begins), "notAfter": .timeText(expires),
        ]).withoutNulls
    }

    /// Returns the next step if a page is needed. A resumed session that still lacks a parameter must be resumed again.
    fileprivate func next(isResumed: Bool) -> JSONValue {
        missing.isEmpty
            ? answer(
                action: "authenticate",
                type: "interactive",
                reason: "none",
                url: "/api/v2/authenticate/\(requestor)/\(code)"
            )
            : answer(
                action: isResumed ? "retry" : "resume",
                type: "direct",
                reason: "none",
                url: "/api/v2/\(requestor)/sessions/\(code)"
            )
    }

    /// Returns the next step if no page is needed.
    fileprivate func direct(to mvpd: String, because reason: String) -> JSONValue {
        JSONValue.object([
            "actionName": .string("authorize"), "actionType": .string("direct"), "reasonType": .string(reason),
            "url": .string("/api/v2/\(requestor)/decisions/authorize/\(mvpd)"), "sessionId": .string(id),
            "mvpd": .string(mvpd), "serviceProvider": .string(requestor),
            "notBefore": .timeText(begins), "notAfter": .timeText(expires),
        ])
    }
}
