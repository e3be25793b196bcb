internal import Synchronization

/// The browser's visit at the end of a sign-in: what it brought back, and the page that it still waits for.
///
/// The browser waits until ``show(_:)`` is called, until the time for that is over, or until the visit is given up. In the latter two
/// cases it shows the listener's own page.
public final class RedirectVisit: Sendable {
    /// The parameters that the browser brought back.
    public let answer: RedirectAnswer
    private let browser: WaitingBrowser

    init(_ answer: RedirectAnswer, _ browser: WaitingBrowser) {
        (self.answer, self.browser) = (answer, browser)
    }

    deinit { browser.show(nil) }

    /// Shows the person a page, which says how the sign-in ended. A second call does nothing, nor does one that comes too late.
    public func show(_ page: BrowserPage) { browser.show(page) }
}

/// The connection of a browser that waits for its last page; it is given up with the page.
final class WaitingBrowser: Sendable {
    private let connection: Mutex<(socket: LoopbackSocket, wakeUp: WakeUp)?>
    /// The page at the end of the time.
    private let page: BrowserPage

    /// - Parameter wakeUp: is signalled with the page.
    init(_ socket: LoopbackSocket, _ wakeUp: WakeUp, otherwise page: BrowserPage) {
        connection = Mutex((socket, wakeUp))
        self.page = page
    }

    /// Sends a page, nil standing for the usual one, unless one was sent.
    func show(_ page: BrowserPage?) {
        connection.withLock { connection in
            guard let (socket, wakeUp) = connection else { return }
            // Sent before this returns: the program may end right after it.
            socket.sendAll(RedirectResponse.page(page ?? self.page))
            wakeUp.signal()
            connection = nil
        }
    }

    var isAnswered: Bool { connection.withLock { $0 == nil } }
}
