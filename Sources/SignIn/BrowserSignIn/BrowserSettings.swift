public import BrowserFlow
internal import Crypto
package import FoundationEssentials
public import SharedAuth

/// The settings for using the browser in a sign-in. The defaults suit most apps.
public struct BrowserSettings: Sendable {
    /// Parameters that are added to the request, such as `prompt`, `login_hint`, `max_age`, `audience` or
    /// `access_type`. An empty value leaves the parameter out, also where it would be added otherwise.
    public var parameters: [String: String] = [:]
    /// The port of the redirect, for servers that compare it; nil for any free port.
    public var redirectPort: UInt16?
    /// The host name of the redirect URI. The default is `127.0.0.1`.
    public var redirectHost: RedirectHost = .address
    /// The path of the redirect URI, which is `http://`, the host name, the port and this path. The default is
    /// `/callback`, with a part for the issuer if ``separatesIssuers`` requires it.
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

    /// The redirect URI of the app's own scheme, with which the desktop opens the app; nil for a redirect to a listener on
    /// this machine. Pass the address that the app is opened with to ``handle(redirect:)``.
    package var ownRedirectURI: URL?
    /// Called with the redirect URI before the browser is opened.
    package var listening: @Sendable (URL) -> Void = { _ in }
    /// Called for each request to the listener that it refuses.
    package var refused: @Sendable (RedirectRefusal) -> Void = { _ in }
    private let waiting = WaitingSignIns()

    package var visit: @Sendable (BrowserSettings) throws(AuthError) -> any BrowserVisit = {
        settings throws(AuthError) in
        if let uri = settings.ownRedirectURI { return SchemeVisit(redirectURI: uri, opener: settings.opener) }
        return try LoopbackVisit(settings)
    }

    /// Creates settings with default values.
    public init() {}
}

extension BrowserSettings {
    /// Passes on the redirect of a running sign-in by hand, e.g. because the browser is on another machine, where it
    /// cannot reach the listener of this one: the user copies the address that the browser could not open.
    ///
    /// The address is checked like a redirect that the listener receives. A sign-in with these settings, or with a copy
    /// of them, then goes on.
    ///
    /// - Parameter address: The whole address that the browser was redirected to.
    /// - Throws: `invalidCredential` if it is not the redirect of a running sign-in, which goes on waiting;
    ///   `operationNotAllowed` if no sign-in is running, such as after the first redirect.
    public func handle(redirect address: String) throws(AuthError) { try waiting.handle(address) }

    /// Opens the sign-in page and returns the parameters of the redirect.
    ///
    /// - Parameters:
    ///   - visit: The visit, which has the redirect URI.
    ///   - url: The URL of the sign-in page.
    ///   - state: The state of the sign-in.
    ///   - time: The time of the user.
    ///   - check: Checks the parameters of a redirect that was passed on by hand.
    package func answer(
        of visit: any BrowserVisit,
        opening url: URL,
        matching state: String,
        within time: SignInTime,
        checking check: @escaping @Sendable ([String: String]) throws(AuthError) -> Void = { _ in }
    ) async throws(AuthError) -> [String: String] {
        listening(visit.redirectURI)
        do throws(AuthError) {
            return try await waiting.answer(to: visit.redirectURI, matching: state, checking: check) {
                () async throws(AuthError) in
                try await visit.answer(opening: url, matching: state, within: time.left)
            }
        } catch {
            throw error.code == .timedOut ? time.isOver : error
        }
    }

    /// Returns the settings that note refused redirects for the end of the time.
    package func noting(in time: SignInTime) -> BrowserSettings {
        var settings = self
        settings.refused = { [refused] refusal in
            if refusal.concernsSignIn {
                time.note("A redirect was refused: \(refusal.reason.beginningInLowerCase)", remedy: refusal.remedy)
            }
            refused(refusal)
        }
        return settings
    }

    /// The redirect URI to register. It has a port only if the port is fixed.
    package var registeredAddress: String {
        ownRedirectURI?.absoluteString
            ?? "http://\(redirectHost.rawValue)\(redirectPort.map { ":\($0)" } ?? "")\(redirectPath)"
    }

    /// Advice about a page that refuses the redirect URI, which no server tells the app.
    package var adviceOnRedirect: String {
        "If the page there refused the redirect URI, register \(registeredAddress) for the client."
    }

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
                host: settings.redirectHost,
                page: settings.page,
                refused: settings.refused
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
    init(_ error: BrowserFlowError) {
        let code: AuthErrorCode =
            switch error.code {
            case .dismissed, .cancelled: .webContextCancelled
            case .timedOut: .timedOut
            default: .webSignInUserInteractionFailure
            }
        self.init(code, error.message, remedy: error.remedy, underlying: error)
    }
}
