package import FoundationEssentials
internal import Glibc

/// A server's scheme, host and port, the only parts of a URL that a message may contain.
package struct HTTPOrigin: Sendable, Hashable, CustomStringConvertible {
    package let scheme: String
    /// The host in lower case, without the brackets of an IPv6 address.
    package let host: String
    package let port: Int

    /// Creates the origin of a URL; nil unless `url` is absolute, has a host, and its scheme is `http` or `https`.
    package init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let host = url.host()?.lowercased(), !host.isEmpty,
            let usualPort = Self.usualPorts[scheme]
        else { return nil }
        self.scheme = scheme
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        port = url.port ?? usualPort
    }

    private static let usualPorts = ["http": 80, "https": 443]

    package var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == Self.usualPorts[scheme] ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// True if the host is this machine: `localhost`, `127.0.0.0/8` or `::1`, as written, without a DNS lookup.
    package var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy(Self.isByte)
    }

    /// True if the host may lead to the loopback interface, by any of its usual names or any notation of its addresses.
    package var mayBeThisMachine: Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        let names = ["localhost", "localhost.localdomain", "localhost6", "ip6-localhost", "ip6-loopback"]
        if names.contains(name) || name.hasSuffix(".localhost") { return true }
        var short = in_addr()
        // Parsed as resolvers do: 127.1, 0x7f.0.0.1 and 2130706433 are 127.0.0.1.
        if unsafe inet_aton(name, &short) != 0 { return Self.isThisMachine(UInt32(bigEndian: short.s_addr)) }
        var long = in6_addr()
        guard unsafe inet_pton(AF_INET6, String(name.prefix { $0 != "%" }), &long) == 1 else { return false }
        let bytes = unsafe withUnsafeBytes(of: long) { unsafe Array($0) }
        guard bytes.prefix(10).allSatisfy({ $0 == 0 }), [[0, 0], [0xff, 0xff]].contains(Array(bytes[10..<12])) else {
            return false
        }
        let last = bytes.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return last <= 1 || Self.isThisMachine(last)
    }

    /// Returns whether an address is in network 127, or in network 0, which also connects to this machine.
    private static func isThisMachine(_ address: UInt32) -> Bool { [0, 127].contains(address >> 24) }

    private static func isByte(_ text: Substring) -> Bool {
        (1...3).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) } && Int(text)! < 256
    }

    /// Returns a photo's URL from an untrusted source: HTTPS, or HTTP on this machine. Returns nil for any other, such
    /// as a file URL, which desktop libraries would also open.
    package static func photoURL(_ text: String) -> URL? {
        guard let url = URL(string: text), let origin = HTTPOrigin(url), origin.scheme == "https" || origin.isLoopback
        else { return nil }
        return url
    }
}
