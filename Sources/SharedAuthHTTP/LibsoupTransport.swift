/// The default transport: libsoup 3, which follows the desktop's proxy settings and trusts the system's authorities.
public struct LibsoupTransport: HTTPTransport {
    /// Sends a request by libsoup.
    public func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
        throw HTTPError(.transportMissing, "libsoup 3 is not installed.", remedy: "Install the package libsoup-3.0-0.")
    }
}

extension HTTPTransport where Self == LibsoupTransport {
    /// libsoup 3, loaded at the first request.
    public static var libsoup: LibsoupTransport { LibsoupTransport() }
}
