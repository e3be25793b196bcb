internal import FoundationEssentials

/// The sessions of one transport, each made when it is first needed.
@safe final class SoupSessions: @unchecked Sendable {
    // Only jobs of `httpThread` use what varies.
    private let library: String
    private let proxies: SoupSession.Proxies
    private let authorities: String?
    private var made: [SoupSession.Proxies: SoupSession] = [:]

    init(library: String, proxies: SoupSession.Proxies, authorities: String?) {
        self.library = library
        self.proxies = proxies
        self.authorities = authorities
    }

    /// Runs `body` on ``httpThread``, from which this is to be called, when a server can be reached: at once, or after the first look for
    /// the desktop's proxies.
    ///
    /// - Throws: `transportMissing`.
    func whenReady(for url: URL, _ body: @escaping @Sendable () -> Void) throws(HTTPError) {
        _ = try SoupLibrary.load(library)
        if proxies(for: url) == .desktop { SharedBusConnection.whenReady(body) } else { body() }
    }

    /// The session by which a server is reached, on ``httpThread``.
    func session(for url: URL) throws(HTTPError) -> SoupSession {
        let proxies = proxies(for: url)
        if let session = made[proxies] { return session }
        let library = try SoupLibrary.load(library)
        let session = try SoupSession(library, proxies, authorities: authorities)
        made[proxies] = session
        return session
    }

    /// A proxy could neither reach this machine's own servers nor should it see what is sent to them in plain.
    private func proxies(for url: URL) -> SoupSession.Proxies {
        HTTPOrigin(url)?.isLoopback == true ? .none : proxies
    }
}
