internal import BrowserFlow
internal import CommandLineSupport
internal import FoundationEssentials
internal import PassAuth
internal import Synchronization

/// The screen where the user signs in or out: a browser on this machine, or a second screen.
struct SignInScreen: Sendable {
    /// Nil for a second screen.
    private let listener: RedirectListener?
    private let state = UUID().uuidString
    /// The address where the user types a code.
    private let activationPage: String?
    /// The longest wait for a page, in minutes.
    private let limit: Int
    private let visit = LastVisit()

    /// The page for a browser that cannot wait for the outcome.
    private static let page = BrowserPage(
        title: "Back to the terminal",
        message: "The terminal shows the result. You can close this page."
    )

    /// The outcome of a sign-in or a log-out.
    enum Outcome: CaseIterable {
        case signedIn, cancelled, refused, failed
        case loggedOut, notLoggedOut

        /// The last page in the browser.
        fileprivate var page: BrowserPage {
            switch self {
            case .signedIn: BrowserPage(title: "Signed in", message: "You can close this page.")
            case .cancelled:
                BrowserPage(title: "Sign-in cancelled", message: "You can close this page.")
            case .refused:
                BrowserPage(title: "Sign-in refused", message: "The terminal shows why. You can close this page.")
            case .failed:
                BrowserPage(
                    title: "Sign-in failed",
                    message: "The terminal shows why. Close this page, and sign in again."
                )
            case .loggedOut: BrowserPage(title: "Logged out", message: "You can close this page.")
            case .notLoggedOut:
                BrowserPage(title: "Not logged out", message: "The terminal shows why. You can close this page.")
            }
        }
    }

    /// Creates a screen for a sign-in: the browser on this machine, or with `byCode`, any browser.
    init(byCode: Bool, activationPage: String?) throws(BrowserFlowError) {
        listener = byCode ? nil : try RedirectListener(page: Self.page)
        self.activationPage = activationPage
        limit = 5
    }

    private init(listener: RedirectListener?, limit: Int) {
        (self.listener, self.limit) = (listener, limit)
        activationPage = nil
    }

    /// Returns the browser for a log-out. The user is logged out here in any case, so the wait for the page is only one
    /// minute. If no port is available, the log-out has no page instead of failing.
    static func ofLogOut() -> SignInScreen { SignInScreen(listener: try? RedirectListener(page: page), limit: 1) }

    var settings: AccessEnabler.Settings {
        guard let redirectURL else { return AccessEnabler.Settings(screen: .second) }
        return AccessEnabler.Settings(redirectURL: redirectURL, logOutTimeout: timeout)
    }

    private var timeout: Duration { .seconds(limit * 60) }

    private var redirectURL: String? { listener.map { "\($0.redirectURI.absoluteString)?state=\(state)" } }

    /// Opens a page, and waits for its redirect.
    ///
    /// - Returns: The redirect URL; nil for a second screen, or if the address of the page is malformed.
    func show(_ page: String) async throws(BrowserFlowError) -> String? {
        guard let listener, let redirectURL, let url = URL(string: page) else { return nil }
        let time = limit == 1 ? "1 minute" : "\(limit) minutes"
        let opener = BrowserOpener { url throws(BrowserFlowError) in
            StandardError.write(line: "Continue in the browser that opens, or open this address on this machine:")
            StandardError.write(line: url.absoluteString)
            StandardError.write(line: "Waiting for the page, \(time) at most; Ctrl-C cancels it.")
            // If no browser can be opened, the user can open the address by hand.
            try? await BrowserOpener.desktop.open(url)
        }
        visit.begin(try await listener.visit(opening: url, by: opener, matching: state))
        return redirectURL
    }

    /// Shows the outcome in the browser, if a browser waits for it.
    func end(with outcome: Outcome) { visit.end(with: outcome.page) }

    func show(code: String) {
        let place = activationPage.map { "Open \($0) in any browser" } ?? "Open your TV provider's page for televisions"
        StandardError.write(line: "\(place), and enter the code")
        StandardError.write(line: "    \(code)")
        StandardError.write(line: "Waiting for the sign-in until the code expires; Ctrl-C cancels it.")
    }
}

/// The browser visit that waits for its last page, if there is one.
private final class LastVisit: Sendable {
    private let visit = Mutex<RedirectVisit?>(nil)

    func begin(_ new: RedirectVisit) { visit.withLock { $0 = new } }

    func end(with page: BrowserPage) { visit.withLock { $0 }?.show(page) }
}
