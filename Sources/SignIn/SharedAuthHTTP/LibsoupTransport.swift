/// The default transport: libsoup 3. It follows the desktop's proxy settings and trusts the system's certificate
/// authorities.
///
/// The library is loaded at the first request; nothing is linked to it. On Debian and Ubuntu it is the package
/// `libsoup-3.0-0`, and `https` needs `glib-networking`. If either is missing, or libsoup 2 is loaded in the process,
/// requests fail with ``HTTPError/Code/transportMissing``. libsoup runs on a separate thread. Requests to this machine
/// use no proxy.
public struct LibsoupTransport: HTTPTransport {
    private let sessions: SoupSessions

    /// Creates a transport with its own connections.
    ///
    /// - Parameter authorities: The absolute path of a file of certificates in PEM form. Servers are then verified
    ///   against these authorities instead of the system's.
    public init(authorities: String? = nil) {
        self.init(library: SoupLibrary.fileName, proxy: nil, authorities: authorities)
    }

    /// Creates a transport with another library, or with one proxy instead of the desktop's settings.
    package init(library: String = "libsoup-3.0.so.0", proxy: String?, authorities: String? = nil) {
        sessions = SoupSessions(
            library: library,
            proxies: proxy.map { .fixed($0) } ?? .desktop,
            authorities: authorities
        )
    }

    fileprivate static let shared = LibsoupTransport()

    /// Sends a request with libsoup.
    public func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
        let exchange = SoupExchange(request, limits)
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.start(in: sessions) { result in continuation.resume(returning: result) }
            }
        } onCancel: {
            exchange.cancel()
        }.get()
    }
}

extension HTTPTransport where Self == LibsoupTransport {
    /// libsoup 3, loaded at the first request. The whole process shares its connections.
    public static var libsoup: LibsoupTransport { .shared }
}
