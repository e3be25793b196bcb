internal import FoundationEssentials

/// This machine's connection to the network, if the kernel leaves no doubt.
struct NetworkConnection {
    /// `/` but for tests.
    var root = "/"

    /// `WiFi` or `LAN`, as Pass names them; nil where no network leads everywhere, where several do that differ, and for
    /// whatever the kernel does not tell apart: a VPN, a bridge, a telephone, a mobile network of one generation or another.
    var type: String? {
        let types = Set((leavingByIPv4 + leavingByIPv6).map(type(of:)))
        return types.count == 1 ? types.first ?? nil : nil
    }

    private func type(of interface: Substring) -> String? {
        let folder = "sys/class/net/\(interface)"
        guard let facts = read("\(folder)/uevent") else { return nil }
        let kind = facts.split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }?.dropFirst("DEVTYPE=".count)
        if kind == "wlan" { return "WiFi" }
        // A card has a driver; what is made of software has none.
        let isEthernet = read("\(folder)/type")?.split(separator: "\n").first == "1"
        guard kind == nil, isEthernet, let driver = driver(of: folder) else { return nil }
        return Self.driversOfTelephones.contains(driver) ? nil : "LAN"
    }

    /// The drivers of telephones that share their network over a cable; some are of true network cards, too.
    private static let driversOfTelephones: Set<Substring> = ["cdc_ether", "cdc_ncm", "ipheth", "rndis_host"]

    private func driver(of folder: String) -> Substring? {
        let path = url("\(folder)/device/driver").path
        return try? FileManager.default.destinationOfSymbolicLink(atPath: path).split(separator: "/").last
    }

    /// The interfaces of the best ways to everywhere; empty where there is none.
    private var leavingByIPv4: [Substring] {
        // Interface, destination, gateway, flags, references, uses, metric, mask.
        ways("proc/net/route") { fields in
            guard fields.count > 7, fields[1] == "00000000", fields[7] == "00000000" else { return nil }
            return (fields[0], flags: UInt(fields[3], radix: 16), metric: UInt(fields[6]))
        }
    }

    private var leavingByIPv6: [Substring] {
        // Destination, its length, source, its length, next hop, metric, references, uses, flags, interface.
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
        // Up, and not there to refuse.
        let open = ways.filter { ($0.flags ?? 0) & 0x201 == 1 }
        let best = open.compactMap(\.metric).min()
        return open.filter { $0.metric == best }.map(\.interface)
    }

    private func url(_ path: String) -> URL { URL(filePath: root, directoryHint: .isDirectory).appending(path: path) }

    /// A file of the kernel, whose size it does not say beforehand.
    func read(_ path: String) -> String? {
        (try? Data(contentsOf: url(path))).map { String(decoding: $0, as: UTF8.self) }
    }
}
