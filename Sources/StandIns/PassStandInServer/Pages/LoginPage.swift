internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuthHTTP

// The pages of a TV provider, where the user signs in and out.

extension Route {
    static let loginPages = [
        Route("login-page", "GET", "mvpd/{mvpd}/login") { state, call, now throws(Refusal) in
            let (session, provider) = try state.visit(call, call.query["code"], now)
            let visitor = state.visitor(call, provider)
            return Page.login(provider, session, of: state.name(session), visitor: visitor).answer()
        },
        Route("login", "POST", "mvpd/{mvpd}/login") { state, call, now throws(Refusal) in try state.logIn(call, now) },
        Route("logout-page", "GET", "mvpd/{mvpd}/logout") { state, call, _ throws(Refusal) in
            let provider = try state.provider(call.parameter("mvpd"))
            if let cookie = call.cookie(provider.cookie) { state.visitors[cookie] = nil }
            state.journal.note("logout-page", ["mvpd": provider.id])
            let end = "\(provider.cookie)=; Path=/mvpd/\(provider.id); Max-Age=0; HttpOnly; SameSite=Lax"
            let redirect = call.query["redirectUrl"].map { PageRedirect(address: $0, isSignedIn: false) }
            if var answer = redirect?.answer(of: provider) {
                answer.headers["Set-Cookie"] = end
                return answer
            }
            let words = "You are signed out of \(provider.displayName). You can close this page."
            return Page.of(provider, "Signed out", Page.paragraph(words)).answer(cookie: end)
        },
        Route("logo", "GET", "mvpd/{mvpd}/logo.svg") { state, call, _ throws(Refusal) in
            let provider = try state.provider(call.parameter("mvpd"))
            return ServedAnswer(headers: ["Content-Type": "image/svg+xml"], body: Array(provider.logo.utf8))
        },
    ]
}

extension ServerState {
    /// Returns the name of the user who has signed in with a TV provider in this browser before.
    fileprivate func visitor(_ call: Call, _ provider: Provider) -> String? {
        guard let visitor = call.cookie(provider.cookie).flatMap({ visitors[$0] }), visitor.mvpd == provider.id else {
            return nil
        }
        return visitor.name
    }

    /// Returns the name of a sign-in's programmer.
    fileprivate func name(_ session: LoginSession) -> String {
        programmers.first { $0.id == session.requestor }?.name ?? session.requestor
    }

    /// Returns the sign-in and the TV provider of a page.
    fileprivate func visit(_ call: Call, _ code: String?, _ now: Date) throws(Refusal) -> (LoginSession, Provider) {
        let provider = try provider(call.parameter("mvpd"))
        let session = try session(code ?? "", now)
        guard session.mvpd == provider.id else { throw .notFound("sign-in with this TV provider") }
        return (session, provider)
    }

    fileprivate mutating func logIn(_ call: Call, _ now: Date) throws(Refusal) -> ServedAnswer {
        let form = call.form
        let (session, provider) = try visit(call, form["code"], now)
        if form["action"] == "cancel" {
            sessions[session.code]?.isOver = true
            journal.note("cancelled", ["requestor": session.requestor, "mvpd": provider.id])
            return PageRedirect(address: session.redirectURL ?? Self.afterSecondScreen, isSignedIn: false)
                .answer(of: provider)
        }
        let known = form["action"] == "continue" ? visitor(call, provider) : nil
        let name = known ?? form["username"] ?? ""
        guard known != nil || (!name.isEmpty && form["password"] == Self.password) else {
            journal.note("wrong-password", ["mvpd": provider.id])
            let words = "The user name or password is wrong. See the hint below."
            return Page.login(provider, session, of: self.name(session), name: name, alert: words).answer(status: 401)
        }
        let cookie = UUID().uuidString.lowercased()
        visitors[cookie] = Visitor(mvpd: provider.id, name: name)
        var answer = try complete(session, of: name, now).answer(of: provider)
        answer.headers["Set-Cookie"] =
            "\(provider.cookie)=\(cookie); Path=/mvpd/\(provider.id); HttpOnly; SameSite=Lax"
        return answer
    }

    /// The password of every account. The login page shows it.
    static let password = "remote"
}

extension Page {
    /// Returns the sign-in form. If a user has signed in in this browser before, asks to continue as that user instead.
    fileprivate static func login(
        _ provider: Provider,
        _ session: LoginSession,
        of programmer: String,
        visitor: String? = nil,
        name: String = "",
        alert: String? = nil
    ) -> Page {
        let code = "<input type=\"hidden\" name=\"code\" value=\"\(HTMLPage.escape(session.code))\">"
        let action = "action=\"/mvpd/\(provider.id)/login\""
        let cancel = """
            <form method="post" \(action)>\(code)<button class="quiet" name="action" value="cancel">Cancel</button></form>
            """
        if let visitor {
            return .of(
                provider,
                "Continue as \(visitor)?",
                """
                \(paragraph("You are signed in to \(provider.displayName) in this browser."))
                <form method="post" \(action)>\(code)<button name="action" value="continue">Continue as \
                \(HTMLPage.escape(visitor))</button></form>
                \(cancel)
                """
            )
        }
        return .of(
            provider,
            "Sign in to watch",
            """
            \(paragraph("Use your \(provider.displayName) account for \(programmer)."))
            \(Page.alert(alert))
            <form method="post" \(action)>\(code)
            <label for="username">User name</label>
            <input id="username" name="username" type="text" autocomplete="username" autocapitalize="none" spellcheck="false" \
            required autofocus value="\(HTMLPage.escape(name))">
            <label for="password">Password</label>
            <input id="password" name="password" type="password" autocomplete="current-password" required \
            aria-describedby="hint">
            <p class="hint" id="hint">Enter any user name; the password is <code>\(ServerState.password)</code>.</p>
            <button>Sign in</button></form>
            \(cancel)
            """
        )
    }
}

extension Provider {
    /// The name of the cookie that identifies a browser.
    fileprivate var cookie: String { "standin-\(id)" }

    fileprivate var logo: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="11" \
        fill="hsl(\(hue),62%,32%)"/><text x="20" y="27" font-family="sans-serif" font-size="20" font-weight="600" \
        text-anchor="middle" fill="#fff">\(displayName.prefix(1))</text></svg>
        """
    }
}
