internal import FoundationEssentials
public import PassAuth
internal import SharedAuthHTTP

/// The addresses of Pass's servers. There is no default: Adobe's licensees know the addresses that their licence is
/// for.
///
/// An address is `https`, or a host's name alone, which means the same. Plain `http` is for a stand-in on this machine
/// (`localhost`, `127.0.0.0/8`, `::1`) alone.
public struct PassEndpoints: Sendable, Hashable {
    /// The server for all calls that name no other server, and the address for registration there.
    let server: PassServer
    /// The further servers that `setRequestor` may name.
    let others: Set<PassServer>

    /// Takes addresses; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - api: The address that the paths of REST v2 are added to.
    ///   - registration: The address that the paths of the registration of clients are added to; nil: the same.
    ///   - others: The further servers that `setRequestor(_:serviceProviders:)` may name. The app registers with each of
    ///     them. Servers of this machine need not be listed.
    /// - Throws: `insecure` for plain http to another machine, `badRequest` for what is no address.
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

    /// The server of this name.
    ///
    /// - Throws: `badRequest` for one that is not configured.
    func server(named name: String?) throws(PassBackendError) -> PassServer {
        guard let name else { return server }
        let address = try PassServer.checked(name)
        if address == server.api { return server }
        let other = PassServer(address: address)
        if others.contains(other) || other.isLoopback && server.isLoopback { return other }
        throw PassBackendError(
            .badRequest,
            "The server \(address) is not among the endpoints that the app configured. Add it to them, if the licence is for it."
        )
    }
}

/// One server: where its interface is, and where clients register for it.
struct PassServer: Sendable, Hashable {
    let api: String
    let registration: String

    init(api: String, registration: String) { (self.api, self.registration) = (api, registration) }

    init(address: String) { self.init(api: address, registration: address) }

    var isLoopback: Bool { URL(string: api).flatMap { HTTPOrigin($0) }?.isLoopback == true }

    /// An address without a slash at its end.
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

    /// The address of a page or a call that an answer names, which may leave out the server.
    func address(of text: String) throws(PassBackendError) -> String {
        let whole = text.hasPrefix("/") && !text.hasPrefix("//") ? Self.origin(of: api) + text : text
        guard let url = URL(string: whole), let origin = HTTPOrigin(url) else {
            throw PassBackendError(.invalidAnswer, "The address of a page that the server named is malformed.")
        }
        guard isLoopback ? origin.scheme == "https" || origin.isLoopback : origin.scheme == "https" else {
            throw PassBackendError(.insecure, "The page that the server named is at \(origin), which is not secure.")
        }
        // A server elsewhere has no say about services of this machine.
        guard isLoopback || !origin.mayBeThisMachine else {
            throw PassBackendError(.insecure, "The page that the server named is at \(origin), on this machine.")
        }
        return whole
    }

    private static func origin(of address: String) -> String {
        URL(string: address).flatMap { HTTPOrigin($0) }?.description ?? address
    }
}
