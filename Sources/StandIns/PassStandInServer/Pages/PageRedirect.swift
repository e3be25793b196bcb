internal import LoopbackServer

/// The address that a browser is sent to at the end of a page.
struct PageRedirect: Sendable {
    let address: String
    let isSignedIn: Bool

    /// Redirects the browser. For an app's own scheme, returns a page that opens the app, because the browser stays on
    /// the page.
    func answer(of provider: Provider) -> ServedAnswer {
        if address.hasPrefix("http://") || address.hasPrefix("https://") { return .redirect(to: address) }
        if address.hasPrefix("/") { return .redirect(to: isSignedIn ? address : "\(address)?cancelled=1") }
        let words =
            isSignedIn
            ? "The app continues automatically. If it does not, open it here."
            : "Nothing was changed. Go back to the app."
        var page = Page.of(
            provider,
            isSignedIn ? "You are signed in" : "Back to the app",
            """
            \(Page.paragraph(words))
            <a class="button" id="app" href="\(HTMLPage.escape(address))">Open the app</a>
            """
        )
        page.next = address
        return page.answer()
    }

    /// A redirect to the address, without a page.
    var answer: ServedAnswer { .redirect(to: address) }
}
