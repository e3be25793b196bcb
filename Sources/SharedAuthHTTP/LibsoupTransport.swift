/// The default transport: libsoup 3, which follows the desktop's proxy settings and trusts the system's authorities.
///
/// The library is loaded at the first request, and nothing is linked to it: on Debian and Ubuntu it is the package
/// `libsoup-3.0-0`, and `https` needs `glib-networking`. Where either is missing, or libsoup 2 is in the process, requests
/// fail with ``HTTPError/Code/transportMissing``. It runs on a thread of its own. Requests to this machine itself use no
/// proxy.
public struct LibsoupTransport: HTTPTransport {
    private let sessions: SoupSessions

    /// A transport with connections of its own.
    ///
    /// - Parameter authorities: a file of certificates in PEM form, by its absolute path; servers are then verified by these
    ///   authorities, and not by the system's.
    public init(authorities: String? = nil) {
        self.init(library: SoupLibrary.fileName, proxy: nil, authorities: authorities)
    }

    /// A transport by another library, or one proxy in place of the desktop's settings.
    package init(library: String = "libsoup-3.0.so.0", proxy: String?, authorities: String? = nil) {
        sessions = SoupSessions(
            library: library,
            proxies: proxy.map { .fixed($0) } ?? .desktop,
            authorities: authorities
        )
    }

    fileprivate static let shared = LibsoupTransport()

    /// Sends a request by libsoup.
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
    /// libsoup 3, loaded at the first request; its connections are shared by the whole process.
    public static var libsoup: LibsoupTransport { .shared }
}
