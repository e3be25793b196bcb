public import BrowserFlow
internal import Crypto
package import FoundationEssentials
package import SharedAuth

/// The settings for using the browser in a sign-in. The defaults suit most apps.
public struct BrowserSettings: Sendable {
    /// Parameters that are added to the request, such as `prompt`, `login_hint`, `max_age`, `audience` or
    /// `access_type`.
    public var parameters: [String: String] = [:]
    /// The port of the redirect, for servers that compare it; nil for any free port.
    public var redirectPort: UInt16?
    /// The path of the redirect URI, which is `http://127.0.0.1:`, the port and this path. The default is `/callback`,
    /// with a part for the issuer if ``separatesIssuers`` requires it.
    public var redirectPath: String {
        get { ownPath ?? "/callback" }
        set { ownPath = newValue }
    }
    /// Indicates whether each issuer has its own redirect path, so that no issuer can pass off another's response as
    /// its own.
    ///
    /// If it is nil, an issuer has its own path if it does not announce that its responses name it (RFC 9207) and no
    /// ``redirectPath`` is set. Register the redirect URI with the issuer: ``redirectPath(for:)`` returns its path.
    public var separatesIssuers: Bool?
    private var ownPath: String?

    /// Opens the browser.
    public var opener: BrowserOpener = .desktop
    /// The page that the browser shows after the redirect.
    public var page: BrowserPage = .default

    package var visit: @Sendable (BrowserSettings) throws(AuthError) -> any BrowserVisit = {
        settings throws(AuthError) in
        try LoopbackVisit(settings)
    }

    /// Creates settings with default values.
    public init() {}
}

extension BrowserSettings {
    /// Returns the redirect path of an issuer that has its own: ``redirectPath``, a slash, and twelve hexadecimal
    /// digits derived from the issuer.
    ///
    /// - Parameter issuer: The issuer URL; for a plain OAuth 2 server without one, the URL of its sign-in page.
    public func redirectPath(for issuer: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let name = SHA256.hash(data: Array(issuer.utf8)).prefix(6).flatMap {
            [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
        return "\(redirectPath.hasSuffix("/") ? String(redirectPath.dropLast()) : redirectPath)/"
            + String(decoding: name, as: UTF8.self)
    }

    /// Returns the settings for a sign-in at an issuer.
    ///
    /// - Parameter namesItself: True if the issuer's responses name it.
    package func separating(_ issuer: String, namesItself: Bool) -> BrowserSettings {
        guard separatesIssuers ?? (ownPath == nil && !namesItself) else { return self }
        var settings = self
        settings.redirectPath = redirectPath(for: issuer)
        return settings
    }
}

/// One visit of a sign-in page, from binding the redirect URI to the redirect.
package protocol BrowserVisit: Sendable {
    /// The URI that the browser is redirected to.
    var redirectURI: URL { get }
    /// Opens the sign-in page and returns the parameters of the redirect. Ignores redirects with another state.
    func answer(
        opening url: URL,
        matching state: String,
        within timeout: Duration
    ) async throws(AuthError) -> [String: String]
    /// Releases the redirect URI.
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
                "A redirect path starts with a slash and has only letters, digits, slashes, dots, - and _."
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
    /// Maps the error of a failed visit to an `AuthError`.
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
