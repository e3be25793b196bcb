public import FoundationEssentials
internal import Synchronization

extension RedirectListener {
    /// Opens the browser at an address, and waits for it to come back.
    ///
    /// Throws ``BrowserFlowError``: what the opener throws, and what ``redirect(matching:timeout:)`` throws. The opener is
    /// cancelled, and not waited for, once the answer is there, the time is over, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - url: the server's page to sign in, which has ``redirectURI`` and `state` among its parameters.
    ///   - opener: opens the browser.
    ///   - state: the `state` that was sent to the server; only an answer with the same one is believed.
    ///   - timeout: the time that the person may take.
    public func redirect(
        opening url: URL,
        by opener: BrowserOpener = .desktop,
        matching state: String,
        timeout: Duration = .seconds(300)
    ) async throws(BrowserFlowError) -> RedirectAnswer {
        try await visit(opening: url, by: opener, matching: state, timeout: timeout, pageTime: .zero).answer
    }

    /// Opens the browser at an address, and waits for it to come back; it then waits for a page that says how the sign-in ended.
    ///
    /// Throws ``BrowserFlowError``, as ``redirect(opening:by:matching:timeout:)`` does.
    ///
    /// - Parameters:
    ///   - url: the server's page to sign in, which has ``redirectURI`` and `state` among its parameters.
    ///   - opener: what opens the browser.
    ///   - state: the `state` that was sent to the server; only an answer with the same one is believed.
    ///   - timeout: how long the person may take.
    ///   - pageTime: how long the browser waits for the page; at the end of it, it shows the listener's page.
    public func visit(
        opening url: URL,
        by opener: BrowserOpener = .desktop,
        matching state: String,
        timeout: Duration = .seconds(300),
        pageTime: Duration = .seconds(40)
    ) async throws(BrowserFlowError) -> RedirectVisit {
        let failure = Mutex<BrowserFlowError?>(nil)
        // Nobody waits for its end: an app's own opener may know nothing of cancellation.
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
