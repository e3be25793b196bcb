import FoundationEssentials
import Glibc
import SharedAuthHTTP
import TestSupport
import Testing

/// `0.0.0.0` is also this machine, but not an address that bypasses proxies.
@Suite("Proxies, against tinyproxy")
struct ProxyTests {
    @Test("https uses a proxy's CONNECT, which sees only the host")
    func connect() async throws {
        let (servers, port, proxy) = try await start()
        let client = HTTPClient.once(
            LibsoupTransport(proxy: "http://127.0.0.1:\(proxy)", authorities: servers.authorities)
        )
        #expect(try await client.get(url(port)).text == "secure")
        #expect(servers.proxyLog.contains("CONNECT 0.0.0.0:\(port)"))
    }

    @Test("A proxy that refuses to connect has a distinct error; the request was not sent")
    func refusal() async throws {
        let (servers, port, proxy) = try await start(connects: false)
        let client = HTTPClient.once(
            LibsoupTransport(proxy: "http://127.0.0.1:\(proxy)", authorities: servers.authorities)
        )
        let error = await expectFailure(\HTTPError.code, .unreachable) { try await client.post(url(port)) }
        #expect(error?.message.contains("proxy") == true)
        #expect(error?.requestWasSent == false)
        #expect(error?.remedy?.contains("proxy") == true)
    }

    @Test("A missing proxy is an error, and the request was not sent")
    func missing() async throws {
        let proxy = try RawHTTPServer(200).port
        let client = HTTPClient.once(LibsoupTransport(proxy: "http://127.0.0.1:\(proxy)"))
        let error = await expectFailure(\HTTPError.code, .unreachable) { try await client.post(url(1)) }
        #expect(error?.requestWasSent == false)
    }

    @Test("This machine's own servers are reached without a proxy", arguments: ["127.0.0.1", "localhost"])
    func loopback(host: String) async throws {
        let server = try RawHTTPServer(200)
        let dead = try RawHTTPServer(200).port
        let client = HTTPClient.once(LibsoupTransport(proxy: "http://127.0.0.1:\(dead)"))
        #expect(try await client.get(try address(server.port, host: host)).status == 200)
    }

    @Test("The environment's proxy is used")
    func environment() async throws {
        let (servers, port, proxy) = try await start()
        let output = try servers.home.run(
            "env",
            [
                "https_proxy=http://127.0.0.1:\(proxy)", try BuiltProducts.executable("HTTPPeer"),
                "authorities=\(servers.authorities)", "https://0.0.0.0:\(port)/",
            ]
        ).standardOutput
        #expect(output == "200\n")
        #expect(servers.proxyLog.contains("CONNECT 0.0.0.0:\(port)"))
    }

    private func start(connects: Bool = true) async throws -> (ForeignServers, UInt16, UInt16) {
        let servers = try ForeignServers()
        try servers.makeCertificate(for: "IP:0.0.0.0")
        return (servers, try servers.startTLS(on: "0.0.0.0"), try servers.startProxy(connects: connects))
    }

    private func url(_ port: UInt16) -> URL {
        URL(string: "https://0.0.0.0:\(port)/")!
    }
}
