public import BrowserFlow
package import FoundationEssentials
package import SharedAuth

/// How a sign-in uses the browser; the defaults do for most.
public struct BrowserSettings: Sendable {
    /// What is added to the request, such as `prompt`, `login_hint`, `max_age`, `audience` or `access_type`.
    public var parameters: [String: String] = [:]
    /// The port of the redirect, for servers that compare it; any free one unless set.
    public var redirectPort: UInt16?
    /// The path of the redirect: the address is `http://127.0.0.1:` and the port, then this.
    public var redirectPath = "/callback"

    /// What opens the browser.
    public var opener: BrowserOpener = .desktop
    /// What the browser shows when the person is back.
    public var page: BrowserPage = .default

    package var visit: @Sendable (BrowserSettings) throws(AuthError) -> any BrowserVisit = {
        settings throws(AuthError) in
        try LoopbackVisit(settings)
    }

    /// Makes settings.
    public init() {}
}

/// One visit of a sign-in page, from a place to come back to until the person is back.
package protocol BrowserVisit: Sendable {
    /// Where the browser is to come back to.
    var redirectURI: URL { get }
    /// Opens the sign-in page; the parameters that the browser comes back with. Anything with another state is no answer.
    func answer(
        opening url: URL,
        matching state: String,
        within timeout: Duration
    ) async throws(AuthError) -> [String: String]
    /// Frees the place to come back to.
    func end()
}

/// A visit with a listener on this machine.
private struct LoopbackVisit: BrowserVisit {
    private let listener: RedirectListener
    private let opener: BrowserOpener

    init(_ settings: BrowserSettings) throws(AuthError) {
        guard Self.isPath(settings.redirectPath) else {
            throw AuthError(
                .operationNotAllowed,
                "The path of a redirect begins with a slash and has plain characters only."
            )
        }
        do throws(BrowserFlowError) {
            listener = try RedirectListener(
                path: settings.redirectPath,
                port: settings.redirectPort,
                page: settings.page
            )
        } catch {
            throw AuthError(error)
        }
        opener = settings.opener
    }

    var redirectURI: URL { listener.redirectURI }

    func answer(
        opening url: URL,
        matching state: String,
        within timeout: Duration
    ) async throws(AuthError) -> [String: String] {
        do throws(BrowserFlowError) {
            return try await listener.redirect(opening: url, by: opener, matching: state, timeout: timeout).parameters
        } catch {
            throw AuthError(error)
        }
    }

    func end() { listener.close() }

    private static func isPath(_ text: String) -> Bool {
        text.hasPrefix("/")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                case UInt8(ascii: "."): true
                default: false
                }
            }
    }
}

extension AuthError {
    /// What a failed visit is for a user of `Auth`.
    fileprivate init(_ error: BrowserFlowError) {
        let code: AuthErrorCode =
            switch error.code {
            case .dismissed, .cancelled: .webContextCancelled
            case .timedOut: .timedOut
            default: .webSignInUserInteractionFailure
            }
        self.init(code, error.message, remedy: error.remedy, underlying: error)
    }
}
