import FoundationEssentials
import SharedAuthHTTP
import TestSupport
import Testing

@Suite("TLS, against Python's server")
struct TLSTests {
    @Test("A server with a certificate of a trusted authority is accepted")
    func trusted() async throws {
        let (servers, port) = try await start("IP:127.0.0.1")
        let client = HTTPClient.once(LibsoupTransport(authorities: servers.authorities))
        #expect(try await client.get(url(port)).text == "secure")
    }

    @Test("A certificate of an unknown authority is refused before the request is sent")
    func unknownAuthority() async throws {
        let (servers, port) = try await start("IP:127.0.0.1")
        defer { withExtendedLifetime(servers) {} }
        let error = await expectFailure(\HTTPError.code, .tls) { try await HTTPClient.once().post(url(port)) }
        #expect(error?.message.contains("authority") == true)
        #expect(error?.requestWasSent == false)
    }

    @Test("A certificate for another host is refused")
    func anotherHost() async throws {
        let (servers, port) = try await start("DNS:other.example")
        let client = HTTPClient.once(LibsoupTransport(authorities: servers.authorities))
        let error = await expectFailure(\HTTPError.code, .tls) { try await client.get(url(port)) }
        #expect(error?.message.contains("another host") == true)
    }

    @Test("An expired certificate is refused, and the error mentions the clock")
    func expired() async throws {
        let (servers, port) = try await start("IP:127.0.0.1", days: -1)
        let client = HTTPClient.once(LibsoupTransport(authorities: servers.authorities))
        let error = await expectFailure(\HTTPError.code, .tls) { try await client.get(url(port)) }
        #expect(error?.message.contains("has expired") == true)
        #expect(error?.remedy?.contains("date and time") == true)
    }

    @Test("https to a server without TLS fails before the request is sent")
    func plainServer() async throws {
        let server = try RawHTTPServer(readsRequest: false) { connection, _ in
            _ = connection.read()
            connection.send("HTTP/1.1 400 Bad\r\n\r\n")
        }
        let error = await expectFailure(\HTTPError.code, .tls) {
            try await HTTPClient.once().post(url(server.port))
        }
        #expect(error?.requestWasSent == false)
    }

    @Test("An unreadable certificate-authority file is named in the error")
    func missingAuthorities() async throws {
        let client = HTTPClient.once(LibsoupTransport(authorities: "/nowhere/authority.pem"))
        let error = await expectFailure(\HTTPError.code, .invalidRequest) { try await client.get(url(1)) }
        #expect(error?.message.contains("/nowhere/authority.pem") == true)
    }

    private func start(_ name: String, days: Int = 1) async throws -> (ForeignServers, UInt16) {
        let servers = try ForeignServers()
        try servers.makeCertificate(for: name, days: days)
        return (servers, try servers.startTLS())
    }

    private func url(_ port: UInt16) -> URL {
        URL(string: "https://127.0.0.1:\(port)/")!
    }
}
