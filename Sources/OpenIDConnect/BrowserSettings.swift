internal import FoundationEssentials
internal import SharedAuth

/// How a sign-in uses the browser; the defaults do for most.
public struct BrowserSettings: Sendable {
    /// What is added to the request, such as `prompt`, `login_hint`, `max_age`, `audience` or `access_type`.
    public var parameters: [String: String] = [:]
    /// The port of the redirect, for servers that compare it; any free one unless set.
    public var redirectPort: UInt16?
    /// The path of the redirect: the address is `http://127.0.0.1:` and the port, then this.
    public var redirectPath = "/callback"

    var visit: @Sendable (BrowserSettings) throws(AuthError) -> any BrowserVisit = { _ throws(AuthError) in
        throw AuthError(.internalError, "")
    }

    /// Makes settings.
    public init() {}
}

/// One visit of a sign-in page, from a place to come back to until the person is back.
protocol BrowserVisit: Sendable {
    /// Where the browser is to come back to.
    var redirectURI: URL { get }
    /// Opens the sign-in page; what the browser comes back with. Anything with another state is no answer.
    func answer(
        opening url: URL,
        matching state: String,
        within timeout: Duration
    ) async throws(AuthError) -> BrowserAnswer
    /// Frees the place to come back to.
    func end()
}
