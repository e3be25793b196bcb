internal import BrowserFlow
internal import DesktopSupport
package import FoundationEssentials
internal import SharedAuth

/// A visit with a redirect to an address of the app's own scheme, with which the desktop opens the app. Whoever receives
/// the address passes it to `BrowserSettings.handle(redirect:)`, which ends the visit.
struct SchemeVisit: BrowserVisit {
    let redirectURI: URL
    let opener: BrowserOpener

    func answer(
        opening url: URL,
        matching state: String,
        within timeout: Duration
    ) async throws(AuthError) -> [String: String] {
        let failure = Race<AuthError>()
        // Not awaited: an app's own opener may not support cancellation.
        let opening = Task { [opener] in
            do throws(BrowserFlowError) {
                try await opener.open(url)
            } catch {
                failure.finish(AuthError(error))
            }
        }
        let waiting = Task {
            try await Task.sleep(for: timeout, clock: .continuous)
            failure.finish(AuthError(.timedOut, "The sign-in in the browser was not finished in time."))
        }
        defer {
            opening.cancel()
            waiting.cancel()
        }
        throw await withTaskCancellationHandler {
            await failure.result()
        } onCancel: {
            failure.finish(AuthError(.webContextCancelled, "The sign-in in the browser was cancelled."))
        }
    }

    func end() {}
}

/// An address of an app's own scheme.
package enum OwnAddress {
    /// Returns the address as a URL; nil if it is not one that servers and browsers leave unchanged: a scheme in reverse
    /// DNS form (RFC 8252, section 7.1), then a host, a path or both, in lower case up to the path, without query and
    /// fragment.
    package static func url(_ text: String) -> URL? {
        guard let colon = text.firstIndex(of: ":"), text.utf8.count <= 1024 else { return nil }
        let (scheme, rest) = (text[..<colon], text[text.index(after: colon)...])
        let parts = scheme.split(separator: ".", omittingEmptySubsequences: false)
        let isScheme = parts.allSatisfy { part in
            part.first.map { ("a"..."z").contains($0) } == true
                && part.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-" }
        }
        guard isScheme, parts.count > 1, rest.hasPrefix("/"), rest.count > 1 else { return nil }
        let letters = "abcdefghijklmnopqrstuvwxyz0123456789-._~"
        var path = rest
        if rest.hasPrefix("//") {
            let host = rest.dropFirst(2).prefix { $0 != "/" }
            guard !host.isEmpty, host.allSatisfy({ letters.contains($0) }) else { return nil }
            path = rest.dropFirst(2 + host.count)
        }
        guard path.lowercased().allSatisfy({ letters.contains($0) || $0 == "/" }), !path.hasPrefix("//"),
            let url = URL(string: text), url.absoluteString == text
        else { return nil }
        return url
    }
}
