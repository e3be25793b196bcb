internal import FoundationEssentials

/// The sessions of one transport, each created at its first use.
@safe final class SoupSessions: @unchecked Sendable {
    // Unchecked: only jobs of `httpThread` access the mutable state.
    private let library: String
    private let proxies: SoupSession.Proxies
    private let authorities: String?
    private var made: [SoupSession.Proxies: SoupSession] = [:]

    init(library: String, proxies: SoupSession.Proxies, authorities: String?) {
        self.library = library
        self.proxies = proxies
        self.authorities = authorities
    }

    /// Runs `body` on ``httpThread`` when requests can be sent: immediately, or after the first lookup of the desktop's
    /// proxies. Call it on ``httpThread``.
    ///
    /// - Throws: `transportMissing`.
    func whenReady(for url: URL, _ body: @escaping @Sendable () -> Void) throws(HTTPError) {
        _ = try SoupLibrary.load(library)
        if proxies(for: url) == .desktop { SharedBusConnection.whenReady(body) } else { body() }
    }

    /// Returns the session for a server. Call it on ``httpThread``.
    func session(for url: URL) throws(HTTPError) -> SoupSession {
        let proxies = proxies(for: url)
        if let session = made[proxies] { return session }
        let library = try SoupLibrary.load(library)
        let session = try SoupSession(library, proxies, authorities: authorities)
        made[proxies] = session
        return session
    }

    /// Returns the proxies for a server. A proxy could not reach this machine's own servers, and must not see requests
    /// to them in plain text.
    private func proxies(for url: URL) -> SoupSession.Proxies {
        HTTPOrigin(url)?.isLoopback == true ? .none : proxies
    }
}
