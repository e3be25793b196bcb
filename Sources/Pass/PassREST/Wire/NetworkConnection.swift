internal import FoundationEssentials

/// This machine's network connection, read from `/proc/net` and `/sys/class/net`.
struct NetworkConnection {
    /// The root of the file system; another directory in tests.
    var root = "/"

    /// `WiFi` or `LAN`, as Pass names them. Nil if there is no default route, if default routes use interfaces of
    /// different types, and for interfaces whose type the kernel does not report: a VPN, a bridge, a phone, or a mobile
    /// network of any generation.
    var type: String? {
        let types = Set((leavingByIPv4 + leavingByIPv6).map(type(of:)))
        return types.count == 1 ? types.first ?? nil : nil
    }

    private func type(of interface: Substring) -> String? {
        let folder = "sys/class/net/\(interface)"
        guard let facts = read("\(folder)/uevent") else { return nil }
        let kind = facts.split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }?.dropFirst("DEVTYPE=".count)
        if kind == "wlan" { return "WiFi" }
        // A network card has a driver; a virtual interface has none.
        let isEthernet = read("\(folder)/type")?.split(separator: "\n").first == "1"
        guard kind == nil, isEthernet, let driver = driver(of: folder) else { return nil }
        return Self.driversOfTelephones.contains(driver) ? nil : "LAN"
    }

    /// The drivers of phones that share their network over USB. Some network cards use these drivers too.
    private static let driversOfTelephones: Set<Substring> = ["cdc_ether", "cdc_ncm", "ipheth", "rndis_host"]

    private func driver(of folder: String) -> Substring? {
        let path = url("\(folder)/device/driver").path
        return try? FileManager.default.destinationOfSymbolicLink(atPath: path).split(separator: "/").last
    }

    /// The interfaces of the IPv4 default routes with the lowest metric; empty if there is no default route.
    private var leavingByIPv4: [Substring] {
        // Fields: interface, destination, gateway, flags, references, uses, metric, mask.
        ways("proc/net/route") { fields in
            guard fields.count > 7, fields[1] == "00000000", fields[7] == "00000000" else { return nil }
            return (fields[0], flags: UInt(fields[3], radix: 16), metric: UInt(fields[6]))
        }
    }

    private var leavingByIPv6: [Substring] {
        // Fields: destination, its length, source, its length, next hop, metric, references, uses, flags, interface.
        ways("proc/net/ipv6_route") { fields in
            guard fields.count > 9, fields[1] == "00", fields[0].allSatisfy({ $0 == "0" }) else { return nil }
            return (fields[9], flags: UInt(fields[8], radix: 16), metric: UInt(fields[5], radix: 16))
        }
    }

    private typealias Way = (interface: Substring, flags: UInt?, metric: UInt?)

    private func ways(_ path: String, _ way: ([Substring]) -> Way?) -> [Substring] {
        let ways = (read(path) ?? "").split(separator: "\n").compactMap { line in
            way(line.split { $0 == " " || $0 == "\t" })
        }
        // RTF_UP (0x1) set and RTF_REJECT (0x200) not set.
        let open = ways.filter { ($0.flags ?? 0) & 0x201 == 1 }
        let best = open.compactMap(\.metric).min()
        return open.filter { $0.metric == best }.map(\.interface)
    }

    private func url(_ path: String) -> URL { URL(filePath: root, directoryHint: .isDirectory).appending(path: path) }

    /// Reads a kernel file. Its reported size is not its real size.
    func read(_ path: String) -> String? {
        (try? Data(contentsOf: url(path))).map { String(decoding: $0, as: UTF8.self) }
    }
}
