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

    /// The session by which a server is reached, on ``httpThread``.
    func session(for url: URL) throws(HTTPError) -> SoupSession {
        // A proxy could neither reach this machine's own servers nor should it see what is sent to them in plain.
        let proxies = HTTPOrigin(url)?.isLoopback == true ? .none : proxies
        if let session = made[proxies] { return session }
        let library = try SoupLibrary.load(library)
        if proxies == .desktop { _ = SharedBusConnection.outliveTheBus }
        let session = try SoupSession(library, proxies, authorities: authorities)
        made[proxies] = session
        return session
    }
}
