internal import FoundationEssentials
internal import SharedAuthHTTP

/// The address of an endpoint: http or https, with a host, and no fragment. Its text stays as it was written.
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

    /// In lower case.
    var host: String { origin.host }

    /// Whether nobody between can read along: https, or this machine.
    var isProtected: Bool { origin.scheme == "https" || origin.isLoopback }

    /// Whether a server that is on this machine, or not, may name it: servers elsewhere have no say about services of
    /// this machine, most of which trust whatever comes from it.
    func isAllowed(byServerOnThisMachine isLocal: Bool) -> Bool {
        isLocal ? isProtected : origin.scheme == "https" && !origin.mayBeThisMachine
    }

    /// Whether it is on this machine, as written.
    var isLoopback: Bool { origin.isLoopback }

    /// The address with parameters after those that it has.
    func adding(_ items: [(name: String, value: String)]) -> URL? {
        let mark = text.contains("?") ? (text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&") : "?"
        return URL(string: text + mark + FormEncoding.encode(items))
    }
}
