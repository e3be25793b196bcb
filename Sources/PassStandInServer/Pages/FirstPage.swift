internal import LoopbackServer

// The page at the server's address, which says what it is.

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
                "This server is for tests and samples, on this machine alone. It speaks an independent model of the public "
                    + "documentation of Adobe Pass: registration, REST v2 and media tokens. It is not Adobe's, and has no code of Adobe's."
            ))
            <p><a href="/activate">Type a code of a television</a> · <a href="/standin/key">Key that checks tokens</a> · \
            <a href="/control/events">What has happened</a></p>
            <table><tr><th>TV provider</th><th>Id</th><th>What it shows</th></tr>
            \(providers.joined(separator: "\n"))</table>
            <table><tr><th>Programmer</th><th>Id</th><th>Domains</th></tr>
            \(programmers.joined(separator: "\n"))</table>
            """
        )
        page.isWide = true
        return page
    }
}
