internal import FoundationEssentials
internal import SharedAuth

/// How a sign-in uses the browser; the defaults do for most.
public struct BrowserSettings: Sendable {
    /// What is added to the request, such as `prompt`, `login_hint`, `max_age`, `audience` or `access_type`.
    public var parameters: [String: String] = [:]
    /// The port of the redirect, for servers that compare it; any free one unless set.
    public var redirectPort: Int?
    /// The path of the redirect: the address is `http://127.0.0.1:` and the port, then this.
    public var redirectPath = "/callback"

    var listen: @Sendable (BrowserSettings) throws(AuthError) -> any RedirectListener = { _ throws(AuthError) in
        throw AuthError(.internalError, "")
    }

    /// Makes settings.
    public init() {}

    func open(_ url: URL, for listener: any RedirectListener) async throws(AuthError) {
        try await listener.open(url)
    }
}

/// What waits on this machine for the browser to come back.
protocol RedirectListener: Sendable {
    /// Where the browser is to come back to.
    var redirectURI: URL { get }
    /// Opens the sign-in page.
    func open(_ url: URL) async throws(AuthError)
    /// What the browser came back with; anything with another state is no answer.
    func redirect(
        matching state: String,
        within timeout: Duration
    ) async throws(AuthError) -> [(name: String, value: String)]
    func close()
}
