public import FoundationEssentials

extension RedirectListener {
    /// Opens the browser at an address, and waits for it to come back.
    ///
    /// Throws ``BrowserFlowError``: what the opener throws, and what ``redirect(matching:timeout:)`` throws. The opener is
    /// not waited for once the answer is there.
    ///
    /// - Parameters:
    ///   - url: the server's page to sign in, which has ``redirectURI`` and `state` among its parameters.
    ///   - opener: what opens the browser.
    ///   - state: the `state` that was sent to the server; only an answer with the same one is believed.
    ///   - timeout: how long the person may take.
    public func redirect(
        opening url: URL,
        by opener: BrowserOpener = .desktop,
        matching state: String,
        timeout: Duration = .seconds(300)
    ) async throws(BrowserFlowError) -> RedirectAnswer {
        let result = await withTaskGroup { [self] group -> Result<RedirectAnswer, BrowserFlowError> in
            group.addTask {
                await Self.result { () throws(BrowserFlowError) in
                    try await self.redirect(matching: state, timeout: timeout)
                }
            }
            group.addTask {
                await Self.result { () throws(BrowserFlowError) in
                    try await opener.open(url)
                    return nil
                }
            }
            defer { group.cancelAll() }
            for await result in group {
                switch result {
                case .success(nil): continue
                case .success(let answer?): return .success(answer)
                case .failure(let error): return .failure(error)
                }
            }
            return .failure(.cancelled)
        }
        return try result.get()
    }

    private static func result(
        of work: () async throws(BrowserFlowError) -> RedirectAnswer?
    ) async -> Result<RedirectAnswer?, BrowserFlowError> {
        do throws(BrowserFlowError) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}
