internal import FoundationEssentials
public import PassAuth
internal import SharedAuthHTTP

/// The addresses of Pass's servers. There is no default: use the addresses that your licence from Adobe covers.
///
/// An address is an `https` URL, or a host name, which means the same. Plain `http` is allowed only for a stand-in on
/// this machine (`localhost`, `127.0.0.0/8`, `::1`).
public struct PassEndpoints: Sendable, Hashable {
    /// The server of all calls that name no other server, with its address for registration.
    let server: PassServer
    /// The other servers that `setRequestor` may name.
    let others: Set<PassServer>

    /// Creates endpoints from addresses. Sends nothing.
    ///
    /// - Parameters:
    ///   - api: The base address of REST v2.
    ///   - registration: The base address of client registration. If nil, `api` is used.
    ///   - others: The other servers that `setRequestor(_:serviceProviders:)` may name. The app registers with each of
    ///     them. Servers on this machine need not be listed if `api` is on this machine too.
    /// - Throws: `insecure` for plain http to another machine, `badRequest` for a malformed address.
    public init(api: String, registration: String? = nil, others: [String] = []) throws(PassBackendError) {
        let address = try PassServer.checked(api)
        server = PassServer(
            api: address,
            registration: try registration.map { text throws(PassBackendError) in try PassServer.checked(text) }
                ?? address
        )
        var found: Set<PassServer> = []
        for other in others { found.insert(PassServer(address: try PassServer.checked(other))) }
        self.others = found
    }

    /// Returns the server with an address, or the default server for nil.
    ///
    /// - Throws: `badRequest` for a server that is not configured.
    func server(named name: String?) throws(PassBackendError) -> PassServer {
        guard let name else { return server }
        let address = try PassServer.checked(name)
        if address == server.api { return server }
        let other = PassServer(address: address)
        if others.contains(other) || other.isLoopback && server.isLoopback { return other }
        throw PassBackendError(
            .badRequest,
            "The server \(address) is not among the app's configured endpoints. Add it if your licence covers it."
        )
    }
}

/// The addresses of one server: REST v2 and client registration.
struct PassServer: Sendable, Hashable {
    let api: String
    let registration: String

    init(api: String, registration: String) { (self.api, self.registration) = (api, registration) }

    init(address: String) { self.init(api: address, registration: address) }

    var isLoopback: Bool { URL(string: api).flatMap { HTTPOrigin($0) }?.isLoopback == true }

    /// Returns a valid address without a trailing slash, and with `https` if it has no scheme.
    static func checked(_ text: String) throws(PassBackendError) -> String {
        var address = text.contains("://") ? text : "https://\(text)"
        while address.hasSuffix("/") { address.removeLast() }
        guard address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let url = URL(string: address),
            let origin = HTTPOrigin(url), (1...65_535).contains(url.port ?? 443), url.user == nil, url.query == nil,
            url.fragment == nil
        else {
            throw PassBackendError(
                .badRequest,
                "The address of a Pass server is malformed. Write it as https://host or https://host/path."
            )
        }
        guard origin.scheme == "https" || origin.isLoopback else {
            throw PassBackendError(.insecure, "\(origin) is not secure. Use its https address.")
        }
        return address
    }

    /// Returns the absolute address for an address in a response, which may be a path on this server.
    func address(of text: String) throws(PassBackendError) -> String {
        let whole = text.hasPrefix("/") && !text.hasPrefix("//") ? Self.origin(of: api) + text : text
        guard let url = URL(string: whole), let origin = HTTPOrigin(url) else {
            throw PassBackendError(.invalidAnswer, "The server returned a malformed address of a page.")
        }
        guard isLoopback ? origin.scheme == "https" || origin.isLoopback : origin.scheme == "https" else {
            throw PassBackendError(.insecure, "The server returned a page at \(origin), which is not secure.")
        }
        // A remote server must not direct the browser to services on this machine.
        guard isLoopback || !origin.mayBeThisMachine else {
            throw PassBackendError(.insecure, "The server returned a page at \(origin), on this machine.")
        }
        return whole
    }

    private static func origin(of address: String) -> String {
        URL(string: address).flatMap { HTTPOrigin($0) }?.description ?? address
    }
}
