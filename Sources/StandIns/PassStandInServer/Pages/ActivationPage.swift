internal import FoundationEssentials
internal import LoopbackServer

// The pages of a second screen, where the user types the code that a television shows.

extension Route {
    static let activationPages = [
        Route("activate-page", "GET", "activate") { state, call, now throws(Refusal) in
            guard let code = call.query["code"], !code.isEmpty else { return Page.code().answer() }
            return try state.activate(code, call, now)
        },
        Route("activate", "POST", "activate") { state, call, now throws(Refusal) in
            try state.activate(call.form["code"] ?? "", call, now)
        },
        Route("activated", "GET", "activated") { _, call, _ throws(Refusal) in
            let isCancelled = call.query["cancelled"] != nil
            return Page.of(
                server: isCancelled ? "Cancelled" : "You are signed in",
                Page.paragraph(
                    isCancelled
                        ? "Nothing was changed. You can close this page."
                        : "Your television continues automatically. You can close this page."
                )
            ).answer()
        },
    ]
}

extension ServerState {
    fileprivate mutating func activate(_ typed: String, _ call: Call, _ now: Date) throws(Refusal) -> ServedAnswer {
        let code = typed.uppercased().filter { !$0.isWhitespace && $0 != "-" }
        guard let known = try? session(code, now) else {
            journal.note("wrong-code")
            let words = "The code is unknown, used or expired. Check the code on your television."
            return Page.code(typed: typed, alert: words).answer(status: 404)
        }
        var session = try adding(call.form, to: known)
        if session.redirectURL == nil { session.redirectURL = Self.afterSecondScreen }
        session.domain = session.domain ?? programmers.first { $0.id == session.requestor }?.domains.first
        sessions[code] = session
        let programmer = try programmer(session.requestor)
        guard session.mvpd != nil else {
            return Page.choice(
                providers.filter { !programmer.disabled.contains($0.id) && $0.temporaryPass == nil },
                for: programmer,
                code
            ).answer()
        }
        return .redirect(to: "/api/v2/authenticate/\(session.requestor)/\(code)")
    }
}

extension Page {
    fileprivate static func code(typed: String = "", alert: String? = nil) -> Page {
        .of(
            server: "Sign in your television",
            """
            \(paragraph("Type the code that your television shows."))
            \(Page.alert(alert))
            <form method="post" action="/activate">
            <label for="code">Code</label>
            <input class="code" id="code" name="code" type="text" autocomplete="off" autocapitalize="characters" \
            spellcheck="false" maxlength="12" required autofocus value="\(HTMLPage.escape(typed))">
            <button>Continue</button></form>
            """
        )
    }

    fileprivate static func choice(_ providers: [Provider], for programmer: Programmer, _ code: String) -> Page {
        let choices = providers.map { provider in
            """
            <label><input type="radio" name="mvpd" value="\(provider.id)" required> \
            \(HTMLPage.escape(provider.displayName))</label>
            """
        }
        return .of(
            server: "Choose your TV provider",
            """
            <form method="post" action="/activate"><input type="hidden" name="code" value="\(HTMLPage.escape(code))">
            <fieldset><legend>To watch \(HTMLPage.escape(programmer.name))</legend>
            \(choices.joined(separator: "\n"))
            </fieldset>
            <button>Continue</button></form>
            """
        )
    }
}
