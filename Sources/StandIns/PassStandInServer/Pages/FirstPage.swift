internal import LoopbackServer

// The first page, which describes the server.

extension Route {
    static let pages =
        loginPages + activationPages + [
            Route("first-page", "GET", "") { state, _, _ throws(Refusal) in Page.first(state).answer() }
        ]
}

extension Page {
    fileprivate static func first(_ state: ServerState) -> Page {
        let providers = state.providers.map { provider in
            """
            <tr><td>\(HTMLPage.escape(provider.displayName))</td><td><code>\(provider.id)</code></td>\
            <td>\(HTMLPage.escape(provider.purpose))</td></tr>
            """
        }
        let programmers = state.programmers.map { programmer in
            """
            <tr><td>\(HTMLPage.escape(programmer.name))</td><td><code>\(programmer.id)</code></td>\
            <td><code>\(HTMLPage.escape(programmer.domains.joined(separator: " ")))</code></td></tr>
            """
        }
        var page = Page.of(
            server: "A stand-in for TV sign-in",
            """
            \(paragraph(
                "This server is for tests and samples, and is reachable only from this machine. It implements a model "
                    + "made from the public documentation of Adobe Pass: registration, REST v2 and media tokens. It is "
                    + "not Adobe's, and contains no code of Adobe's."
            ))
            <p><a href="/activate">Enter a television's code</a> · \
            <a href="/standin/key">Key for checking tokens</a> · <a href="/control/events">Events</a></p>
            <table><tr><th>TV provider</th><th>Id</th><th>Behaviour</th></tr>
            \(providers.joined(separator: "\n"))</table>
            <table><tr><th>Programmer</th><th>Id</th><th>Domains</th></tr>
            \(programmers.joined(separator: "\n"))</table>
            """
        )
        page.isWide = true
        return page
    }
}
