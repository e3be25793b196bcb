public import BrowserFlow
internal import Crypto
package import FoundationEssentials
package import SharedAuth

/// Sets how a sign-in uses the browser; the defaults suit most apps.
public struct BrowserSettings: Sendable {
    /// Parameters that are added to the request, such as `prompt`, `login_hint`, `max_age`, `audience` or
    /// `access_type`.
    public var parameters: [String: String] = [:]
    /// The port of the redirect, for servers that compare it; any free one unless set.
    public var redirectPort: UInt16?
    /// The path of the redirect: the address is `http://127.0.0.1:` and the port, then this. Unless set, it is `/callback`, with a
    /// part for the issuer where ``separatesIssuers`` says so.
    public var redirectPath: String {
        get { ownPath ?? "/callback" }
        set { ownPath = newValue }
    }
    /// Whether each issuer has a redirect path of its own, so that none can pass the answer of another off as its own.
    ///
    /// Unless set, an issuer has one that does not promise to name itself in its answers (RFC 9207), if no
    /// ``redirectPath`` is set either. The address is to be registered with the issuer: ``redirectPath(for:)`` is its path.
    public var separatesIssuers: Bool?
    private var ownPath: String?

    /// Opens the browser.
    public var opener: BrowserOpener = .desktop
    /// The page that the browser shows when the person is back.
    public var page: BrowserPage = .default

    package var visit: @Sendable (BrowserSettings) throws(AuthError) -> any BrowserVisit = {
        settings throws(AuthError) in
        try LoopbackVisit(settings)
    }

    /// Makes settings.
    public init() {}
}

extension BrowserSettings {
    /// The path of the redirect of an issuer that has one of its own: ``redirectPath``, and twelve hexadecimal digits that stand
    /// for the issuer.
    ///
    /// - Parameter issuer: the issuer URL; of a plain OAuth 2 server without one, the address of its sign-in page.
    public func redirectPath(for issuer: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let name = SHA256.hash(data: Array(issuer.utf8)).prefix(6).flatMap {
            [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
        return "\(redirectPath.hasSuffix("/") ? String(redirectPath.dropLast()) : redirectPath)/"
            + String(decoding: name, as: UTF8.self)
    }

    /// The settings for a sign-in at an issuer.
    ///
    /// - Parameter namesItself: whether its answers say whose they are.
    package func separating(_ issuer: String, namesItself: Bool) -> BrowserSettings {
        guard separatesIssuers ?? (ownPath == nil && !namesItself) else { return self }
        var settings = self
        settings.redirectPath = redirectPath(for: issuer)
        return settings
    }
}

/// One visit of a sign-in page, from a place to come back to until the person is back.
package protocol BrowserVisit: Sendable {
    /// The address that the browser comes back to.
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
    /// Maps a failed visit to the error that an app of `Auth` gets.
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
