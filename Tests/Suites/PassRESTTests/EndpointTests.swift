import Testing

@testable import PassAuth
@testable import PassREST

/// The addresses that requests may be sent to.
struct EndpointTests {
    @Test("An invalid port makes an address malformed", arguments: ["https://host:99999", "host:0"])
    func port(_ address: String) {
        #expect(throws: PassBackendError.self) { _ = try PassEndpoints(api: address) }
    }

    @Test(
        "An address uses https or is on this machine",
        arguments: [
            ("https://api.example.com/", "https://api.example.com"), ("api.example.com", "https://api.example.com"),
            ("https://api.example.com/pass//", "https://api.example.com/pass"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("http://localhost", "http://localhost"),
            ("http://[::1]:1", "http://[::1]:1"),
        ]
    )
    func good(_ text: String, _ address: String) throws {
        let endpoints = try PassEndpoints(api: text)
        #expect(endpoints.server == PassServer(address: address))
        #expect(try endpoints.server(named: nil) == endpoints.server)
        #expect(try endpoints.server(named: text) == endpoints.server)
    }

    @Test(
        "Any other address is refused",
        arguments: [
            ("http://api.example.com", PassBackendError.Code.insecure), ("http://10.0.0.1", .insecure),
            ("ftp://api.example.com", .badRequest), ("", .badRequest), ("https://", .badRequest),
            ("https://a.example?x=y", .badRequest), ("https://a.example#x", .badRequest),
            ("https://me@a.example", .badRequest), ("https://a b.example", .badRequest),
        ]
    )
    func bad(_ text: String, _ code: PassBackendError.Code) {
        let error = #expect(throws: PassBackendError.self) { try PassEndpoints(api: text) }
        #expect(error?.code == code)
        #expect(throws: PassBackendError.self) { try PassEndpoints(api: "https://a.example", others: [text]) }
        #expect(throws: PassBackendError.self) { try PassEndpoints(api: "https://a.example", registration: text) }
    }

    @Test("Registration may have a separate address; further servers must be configured")
    func servers() throws {
        let endpoints = try PassEndpoints(
            api: "https://api.example",
            registration: "https://register.example",
            others: ["https://other.example"]
        )
        #expect(endpoints.server.registration == "https://register.example")
        #expect(try endpoints.server(named: "other.example/").registration == "https://other.example")
        let local = try PassEndpoints(api: "http://127.0.0.1:8")
        #expect(try local.server(named: "http://127.0.0.1:9").api == "http://127.0.0.1:9")
        #expect(throws: PassBackendError.self) { try endpoints.server(named: "http://127.0.0.1:9") }
        let error = #expect(throws: PassBackendError.self) { try endpoints.server(named: "https://stranger.example") }
        #expect(error?.code == .badRequest)
    }

    @Test(
        "A server elsewhere cannot send the user to a page on this machine",
        arguments: ["http://127.0.0.1:631/x", "https://localhost/x", "https://127.1/x", "https://[::1]/x"]
    )
    func pages(_ page: String) throws {
        let server = try PassEndpoints(api: "https://api.example").server
        let error = #expect(throws: PassBackendError.self) { try server.address(of: page) }
        #expect(error?.code == .insecure)
        #expect(try server.address(of: "/x") == "https://api.example/x")
        let local = try PassEndpoints(api: "http://127.0.0.1:8").server
        #expect(try local.address(of: "http://127.0.0.1:631/x") == "http://127.0.0.1:631/x")
    }
}
