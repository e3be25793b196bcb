public import FoundationEssentials
internal import Synchronization

extension RedirectListener {
    /// Opens the browser and waits for the redirect.
    ///
    /// The opener is cancelled, without waiting for it, when the answer arrives, the time is over, or the task is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - url: The server's sign-in page, with ``redirectURI`` and `state` among its parameters.
    ///   - opener: Opens the browser.
    ///   - state: The `state` that was sent to the server. Only an answer with the same value is accepted.
    ///   - timeout: The time limit for the user.
    /// - Throws: The errors of the opener and of ``redirect(matching:timeout:)``.
    public func redirect(
        opening url: URL,
        by opener: BrowserOpener = .desktop,
        matching state: String,
        timeout: Duration = .seconds(300)
    ) async throws(BrowserFlowError) -> RedirectAnswer {
        try await visit(opening: url, by: opener, matching: state, timeout: timeout, pageTime: .zero).answer
    }

    /// Opens the browser and waits for the redirect. The browser then waits for a page that shows the result of the
    /// sign-in.
    ///
    /// - Parameters:
    ///   - url: The server's sign-in page, with ``redirectURI`` and `state` among its parameters.
    ///   - opener: Opens the browser.
    ///   - state: The `state` that was sent to the server. Only an answer with the same value is accepted.
    ///   - timeout: The time limit for the user.
    ///   - pageTime: The time that the browser waits for the page; after that, it shows the listener's page.
    /// - Throws: The errors of ``redirect(opening:by:matching:timeout:)``.
    public func visit(
        opening url: URL,
        by opener: BrowserOpener = .desktop,
        matching state: String,
        timeout: Duration = .seconds(300),
        pageTime: Duration = .seconds(40)
    ) async throws(BrowserFlowError) -> RedirectVisit {
        let failure = Mutex<BrowserFlowError?>(nil)
        // Not awaited: an app's own opener may not support cancellation.
        let opening = Task { [self] in
            do throws(BrowserFlowError) {
                try await opener.open(url)
            } catch {
                failure.withLock { $0 = error }
                close()
            }
        }
        defer { opening.cancel() }
        do throws(BrowserFlowError) {
            return try await visit(matching: state, timeout: timeout, pageTime: pageTime)
        } catch {
            throw failure.withLock { $0 } ?? error
        }
    }
}
