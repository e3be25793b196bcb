import Foundation
import PassAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassREST

/// The network connection as the kernel reports it, and its use in requests.
@Suite(.timeLimit(.minutes(1)))
struct NetworkConnectionTests {
    private let machine: Machine

    init() throws { machine = try Machine() }

    @Test(
        "An interface with all traffic is WiFi or LAN; a phone's has no type",
        arguments: [
            ("DEVTYPE=wlan\n", "1", "iwlwifi", "WiFi"), ("", "1", "e1000e", "LAN"), ("", "1", "r8152", "LAN"),
            ("", "1", "rndis_host", nil), ("", "1", "ipheth", nil), ("", "1", nil, nil), ("", "65534", nil, nil),
            ("DEVTYPE=wwan\n", "1", "cdc_mbim", nil), ("DEVTYPE=bridge\n", "1", nil, nil),
            ("DEVTYPE=wireguard\n", "65534", nil, nil),
        ] as [(String, String, String?, String?)]
    )
    func card(_ facts: String, _ type: String, _ driver: String?, _ expected: String?) throws {
        try machine.card("net0", facts, type: type, driver: driver)
        try machine.routesOfIPv4([("net0", "00000000", 0x3, 100)])
        #expect(machine.connection.type == expected)
    }

    @Test("Without a network, or with different default routes, no type is reported")
    func ways() throws {
        try machine.card("wlan0", "DEVTYPE=wlan\n", type: "1", driver: "iwlwifi")
        try machine.card("eth0", "", type: "1", driver: "e1000e")
        #expect(machine.connection.type == nil)
        // A route to the home network only.
        try machine.routesOfIPv4([("eth0", "0002A8C0", 0x1, 100)])
        #expect(machine.connection.type == nil)
        try machine.routesOfIPv4([("eth0", "00000000", 0x3, 600), ("wlan0", "00000000", 0x3, 100)])
        #expect(machine.connection.type == "WiFi")
        // The better route rejects traffic, so the other one counts.
        try machine.routesOfIPv4([("eth0", "00000000", 0x3, 600), ("wlan0", "00000000", 0x201, 100)])
        #expect(machine.connection.type == "LAN")
        try machine.routesOfIPv4([("eth0", "00000000", 0x3, 100), ("wlan0", "00000000", 0x3, 100)])
        #expect(machine.connection.type == nil)
    }

    @Test("IPv6 alone is a connection; two default routes of different types have no type")
    func bothProtocols() throws {
        try machine.card("wlan0", "DEVTYPE=wlan\n", type: "1", driver: "iwlwifi")
        try machine.card("eth0", "", type: "1", driver: "e1000e")
        try machine.routesOfIPv6("wlan0")
        #expect(machine.connection.type == "WiFi")
        try machine.routesOfIPv4([("wlan0", "00000000", 0x3, 100)])
        #expect(machine.connection.type == "WiFi")
        try machine.routesOfIPv4([("eth0", "00000000", 0x3, 100)])
        #expect(machine.connection.type == nil)
    }

    @Test("Requests name the connection type if known; the app's own value takes precedence")
    func header() throws {
        var options = ClientOptions(client: ClientInformation(model: "Box"))
        func said() throws -> String? {
            let header = try #require(RESTHeaders.ofDevice(options, machine.connection)["X-Device-Info"])
            let json = try #require(Data(base64Encoded: header))
            return try JSONDecoder().decode([String: String].self, from: json)["connectionType"]
        }
        #expect(try said() == nil)
        try machine.card("wlan0", "DEVTYPE=wlan\n", type: "1", driver: "iwlwifi")
        try machine.routesOfIPv4([("wlan0", "00000000", 0x3, 100)])
        #expect(try said() == "WiFi")
        options.client.connectionType = "5G"
        #expect(try said() == "5G")
    }

    @Test("The kernel's route table is read whole, although its size is reported as 0")
    func thisMachine() {
        #expect(NetworkConnection().read("proc/net/route")?.hasPrefix("Iface\tDestination") == true)
    }
}

/// The kernel's files about network interfaces.
private final class Machine {
    private let root: URL
    var connection: NetworkConnection { NetworkConnection(root: root.path) }

    init() throws {
        root = URL(filePath: TestDirectory.newPath())
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    }

    private func write(_ path: String, _ text: String) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: file)
    }

    /// Adds a network interface, or something similar.
    func card(_ name: String, _ facts: String, type: String, driver: String?) throws {
        try write("sys/class/net/\(name)/uevent", "\(facts)INTERFACE=\(name)\nIFINDEX=2\n")
        try write("sys/class/net/\(name)/type", "\(type)\n")
        guard let driver else { return }
        let device = root.appending(path: "sys/class/net/\(name)/device")
        try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: device.appending(path: "driver").path,
            withDestinationPath: "../../../../bus/pci/drivers/\(driver)"
        )
    }

    func routesOfIPv4(_ routes: [(interface: String, destination: String, flags: Int, metric: Int)]) throws {
        let lines = routes.map { route in
            let mask = route.destination == "00000000" ? "00000000" : "00FFFFFF"
            let flags = "000\(String(route.flags, radix: 16))"
            return [
                route.interface, route.destination, "0102A8C0", flags, "0", "0", "\(route.metric)", mask, "0", "0",
                "0  \n",
            ].joined(separator: "\t")
        }
        let head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT  \n"
        try write("proc/net/route", head + lines.joined())
    }

    /// Adds a default route by an interface, and the kernel's final one, which rejects traffic.
    func routesOfIPv6(_ interface: String) throws {
        let (none, gateway) = (String(repeating: "0", count: 32), "fe80000000000000000000000000000a")
        try write(
            "proc/net/ipv6_route",
            """
            fe800000000000000000000000000000 40 \(none) 00 \(none) 00000100 00000002 00000000 00000001 \(interface)
            \(none) 00 \(none) 00 \(gateway) 00000400 00000003 00000000 00000003 \(interface)
            \(none) 00 \(none) 00 \(none) ffffffff 00000001 00000000 00200200       lo

            """
        )
    }
}
