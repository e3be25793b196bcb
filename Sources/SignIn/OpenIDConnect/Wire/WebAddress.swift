internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The URL of an endpoint: HTTP or HTTPS, with a host and no fragment. Its text is kept as written.
struct WebAddress: Sendable, Hashable {
    let text: String
    let url: URL
    private let origin: HTTPOrigin

    init?(_ text: String) {
        guard
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URL(string: text),
            let origin = HTTPOrigin(url),
            url.user == nil,
            url.fragment == nil
        else { return nil }
        (self.text, self.url, self.origin) = (text, url, origin)
    }

    /// Creates the URL of an endpoint to which secrets are sent.
    ///
    /// - Parameter what: The subject of the error.
    /// - Throws: `operationNotAllowed` if it is neither HTTPS nor on this machine.
    init(protected text: String, _ what: String) throws(AuthError) {
        guard let address = WebAddress(text), address.isProtected else {
            throw AuthError(
                .operationNotAllowed,
                "\(what) is not an https URL. Use https; plain HTTP is allowed only for loopback addresses."
            )
        }
        self = address
    }

    /// Returns whether a text is the URL of an issuer: protected, without query and fragment.
    static func isIssuerURL(_ text: String) -> Bool {
        !text.contains("?") && !text.contains("#") && WebAddress(text)?.isProtected == true
    }

    /// The host, in lower case.
    var host: String { origin.host }

    /// True if no one on the network can read requests to it: it is HTTPS or on this machine.
    var isProtected: Bool { origin.scheme == "https" || origin.isLoopback }

    /// Returns whether a server may name this URL; `isLocal` says whether that server is on this machine. Servers
    /// elsewhere may not point to services of this machine, most of which trust local requests.
    func isAllowed(byServerOnThisMachine isLocal: Bool) -> Bool {
        isLocal ? isProtected : origin.scheme == "https" && !origin.mayBeThisMachine
    }

    /// True if the URL, as written, is on this machine.
    var isLoopback: Bool { origin.isLoopback }

    /// Returns whether another URL has the same scheme, host and port.
    func hasOrigin(of other: WebAddress) -> Bool { origin == other.origin }

    /// Returns the URL with parameters appended to its own.
    func adding(_ items: [(name: String, value: String)]) -> URL? {
        let mark = text.contains("?") ? (text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&") : "?"
        return URL(string: text + mark + FormEncoding.encode(items))
    }
}
