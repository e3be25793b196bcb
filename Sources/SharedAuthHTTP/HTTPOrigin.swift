package import FoundationEssentials

/// Where a server is: scheme, host and port, which is all of an address that a message may name.
package struct HTTPOrigin: Sendable, Hashable, CustomStringConvertible {
    package let scheme: String
    /// In lower case, and without the brackets of an IPv6 address.
    package let host: String
    package let port: Int

    /// Nil unless `url` is absolute, has a host, and its scheme is `http` or `https`.
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

    /// Whether the host is this machine: `localhost`, `127.0.0.0/8` or `::1`, as written, without a look-up.
    package var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy(Self.isByte)
    }

    private static func isByte(_ text: Substring) -> Bool {
        (1...3).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) } && Int(text)! < 256
    }
}
