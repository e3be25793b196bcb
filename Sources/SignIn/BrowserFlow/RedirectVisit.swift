internal import Synchronization

/// The browser's visit at the end of a sign-in: the answer, and the page that the browser still waits for.
///
/// The browser waits until ``show(_:)`` is called, the time for the page is over, or the visit is released. In the
/// last two cases it shows the listener's own page.
public final class RedirectVisit: Sendable {
    /// The parameters of the redirect.
    public let answer: RedirectAnswer
    private let browser: WaitingBrowser

    init(_ answer: RedirectAnswer, _ browser: WaitingBrowser) {
        (self.answer, self.browser) = (answer, browser)
    }

    deinit { browser.show(nil) }

    /// Shows a page with the result of the sign-in to the user. A second or late call does nothing.
    public func show(_ page: BrowserPage) { browser.show(page) }
}

/// The connection of a browser that waits for its last page; released once the page is sent.
final class WaitingBrowser: Sendable {
    private let connection: Mutex<(socket: LoopbackSocket, wakeUp: WakeUp)?>
    /// The listener's own page, sent unless the app shows one.
    private let page: BrowserPage

    /// Keeps the connection until a page is sent; then signals `wakeUp`.
    init(_ socket: LoopbackSocket, _ wakeUp: WakeUp, otherwise page: BrowserPage) {
        connection = Mutex((socket, wakeUp))
        self.page = page
    }

    /// Sends a page, or the usual one for nil, unless a page was sent before.
    func show(_ page: BrowserPage?) {
        connection.withLock { connection in
            guard let (socket, wakeUp) = connection else { return }
            // Sent before this method returns: the program may end right after it.
            socket.sendAll(RedirectResponse.page(page ?? self.page))
            wakeUp.signal()
            connection = nil
        }
    }

    var isAnswered: Bool { connection.withLock { $0 == nil } }
}
