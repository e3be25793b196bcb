internal import BrowserFlow
internal import CommandLineSupport
internal import FoundationEssentials
internal import PassAuth
internal import Synchronization

/// The place at which the person signs in, or out.
struct SignInScreen: Sendable {
    /// Nil for a second screen.
    private let listener: RedirectListener?
    private let state = UUID().uuidString
    /// The address at which the person types a code.
    private let activationPage: String?
    /// The time limit of a page, in minutes.
    private let limit: Int
    private let visit = LastVisit()

    /// The page of a browser that cannot wait until it is known how it ended.
    private static let page = BrowserPage(
        title: "Back to the terminal",
        message: "The terminal shows how this ended. You can close this page."
    )

    /// The end of a sign-in or a log-out.
    enum Outcome: CaseIterable {
        case signedIn, cancelled, refused, failed
        case loggedOut, notLoggedOut

        /// The browser's last page.
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

    /// The browser; or, by a code, any other one.
    init(byCode: Bool, activationPage: String?) throws(BrowserFlowError) {
        listener = byCode ? nil : try RedirectListener(page: Self.page)
        self.activationPage = activationPage
        limit = 5
    }

    private init(listener: RedirectListener?, limit: Int) {
        (self.listener, self.limit) = (listener, limit)
        activationPage = nil
    }

    /// The browser, for a log-out: here everything is done, and its page is waited for a minute. No log-out fails for want of
    /// a port: it then has no page.
    static func ofLogOut() -> SignInScreen { SignInScreen(listener: try? RedirectListener(page: page), limit: 1) }

    var settings: AccessEnabler.Settings {
        guard let redirectURL else { return AccessEnabler.Settings(screen: .second) }
        return AccessEnabler.Settings(redirectURL: redirectURL, logOutTimeout: timeout)
    }

    private var timeout: Duration { .seconds(limit * 60) }

    private var redirectURL: String? { listener.map { "\($0.redirectURI.absoluteString)?state=\(state)" } }

    /// Opens a page, and waits until it leads back.
    ///
    /// - Returns: the address that it led to.
    func show(_ page: String) async throws(BrowserFlowError) -> String? {
        guard let listener, let redirectURL, let url = URL(string: page) else { return nil }
        let time = limit == 1 ? "1 minute" : "\(limit) minutes"
        let opener = BrowserOpener { url throws(BrowserFlowError) in
            StandardError.write(line: "Go on in the browser that opens, or open this address in one on this machine:")
            StandardError.write(line: url.absoluteString)
            StandardError.write(line: "Waiting for the page, \(time) at most; Ctrl-C cancels it.")
            // If there is no browser to open, the person may have one.
            try? await BrowserOpener.desktop.open(url)
        }
        visit.begin(try await listener.visit(opening: url, by: opener, matching: state))
        return redirectURL
    }

    /// Shows in the browser how it ended, if the browser waits for that.
    func end(with outcome: Outcome) { visit.end(with: outcome.page) }

    func show(code: String) {
        let place = activationPage.map { "Open \($0) in any browser" } ?? "Open your TV provider's page for televisions"
        StandardError.write(line: "\(place), and enter the code")
        StandardError.write(line: "    \(code)")
        StandardError.write(line: "Waiting for the sign-in until the code expires; Ctrl-C cancels it.")
    }
}

/// The browser that waits for its last page, if one does.
private final class LastVisit: Sendable {
    private let visit = Mutex<RedirectVisit?>(nil)

    func begin(_ new: RedirectVisit) { visit.withLock { $0 = new } }

    func end(with page: BrowserPage) { visit.withLock { $0 }?.show(page) }
}
