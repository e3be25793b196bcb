import FoundationEssentials
import Glibc
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@Suite("The loopback server")
struct LoopbackServerTests {
    @Test("A handler sees method, path, query, headers, form and client of a request")
    func request() async throws {
        let seen = Recorder<ServedRequest>()
        let server = try LoopbackServer(named: "Test") { request in
            seen.record(request)
            return .json(.object(["a": .number(1)]), status: 201, headers: ["X-Thing": "one"])
        }
        let headers: HTTPHeaders = [
            "Content-Type": "application/x-www-form-urlencoded; charset=utf-8", "X-Mine": "here",
        ]
        let response = try await client.send(
            HTTPRequest(
                .post,
                url(server, "/a%20b/c?x=1&x=%2B+2"),
                headers: headers,
                body: Array("n=a+b&m=%c3%a9".utf8)
            ),
            retrying: .never
        )
        let request = try #require(seen.events.first)
        #expect(request.method == "POST" && request.path == "/a b/c" && request.pathParts == ["a b", "c"])
        #expect(request.query.all.filter { $0.name == "x" }.map(\.value) == ["1", "+ 2"])
        #expect(request.form["n"] == "a b" && request.form["m"] == "é")
        #expect(request.headers["x-mine"] == "here" && request.client == "127.0.0.1")
        #expect(response.status == 201 && response.headers["x-thing"] == "one")
        #expect(response.headers["server"] == "Test")
        #expect(JSONObject(response.body)?.seconds("a") == 1)
    }

    @Test("A handler sees JSON; any other body is nil")
    func json() async throws {
        let server = try LoopbackServer(named: "Test") { request in .text(request.json?.string("name") ?? "none") }
        #expect(try await post(server, #"{"name":"Ada"}"#) == "Ada")
        #expect(try await post(server, "name=Ada") == "none")
    }

    @Test("The server is reachable over IPv6, but only by names of this machine")
    func names() async throws {
        let server = try LoopbackServer(named: "Test") { _ in .text("here") }
        let six = try #require(URL(string: "http://[::1]:\(server.port)/"))
        #expect(try await client.send(HTTPRequest(.get, six), retrying: .never).body == Array("here".utf8))
        let rebound = HTTPRequest(.get, try url(server, "/"), headers: ["Host": "page.example:\(server.port)"])
        #expect(try await client.send(rebound, retrying: .never).status == 421)
    }

    @Test("A port in use is refused, and the error names it")
    func takenPort() throws {
        let first = try LoopbackServer(named: "Test") { _ in .cut }
        let error = #expect(throws: LoopbackServerError.self) {
            try LoopbackServer(named: "Test", port: first.port) { _ in .cut }
        }
        #expect(error?.description.contains("\(first.port)") == true)
    }

    @Test("Requests are handled concurrently; each gets its response when it is ready")
    func concurrent() async throws {
        let gate = Gate()
        let server = try LoopbackServer(named: "Test") { request in
            if request.path == "/slow" { await gate.wait() }
            return .text(request.path)
        }
        async let slow = client.send(HTTPRequest(.get, url(server, "/slow")), retrying: .never)
        _ = await server.events.first { $0 == .request(1, method: "GET", path: "/slow") }
        #expect(
            try await client.send(HTTPRequest(.get, url(server, "/fast")), retrying: .never).body == Array("/fast".utf8)
        )
        gate.open()
        #expect(try await slow.body == Array("/slow".utf8))
        #expect(await server.events.first { $0 == .answer(1, status: 200) } != nil)
    }

    @Test("A connection is cut before any byte or within a body, and the server continues")
    func cut() async throws {
        let server = try LoopbackServer(named: "Test") { request in
            switch request.path {
            case "/cut": .cut
            case "/half": ServedAnswer.text("twelve bytes").half
            default: .text("whole")
            }
        }
        let nothing = try raw(server, "/cut")
        #expect(nothing.isEmpty)
        let half = try raw(server, "/half")
        #expect(half.hasPrefix("HTTP/1.1 200 ") && half.contains("Content-Length: 12\r\n"))
        #expect(half.hasSuffix("\r\n\r\ntwelve"))
        for path in ["/cut", "/half"] {
            await #expect(throws: HTTPError.self) {
                try await client.send(HTTPRequest(.post, try url(server, path)), retrying: .never)
            }
        }
        #expect(
            try await client.send(HTTPRequest(.get, url(server, "/")), retrying: .never).body == Array("whole".utf8)
        )
        #expect(server.events.all.filter { if case .cut = $0 { true } else { false } }.count == 4)
    }

    @Test("A line break in a header's value adds no header, and the header is sent", arguments: [false, true])
    func lineBreak(_ isCut: Bool) throws {
        let server = try LoopbackServer(named: "Test") { _ in
            let answer = ServedAnswer.redirect(to: "http://a.example/\r\nX-Added: b")
            return isCut ? answer.half : answer
        }
        let lines = try raw(server, "/", "Connection: close\r\n").split(separator: "\r\n")
        #expect(lines.contains("Location: http://a.example/  X-Added: b"))
        #expect(!lines.contains { $0.hasPrefix("X-Added") })
    }

    @Test("Fifty megabytes arrive; a client that leaves early ends only its own response")
    func flood() async throws {
        let server = try LoopbackServer(named: "Test") { _ in .flood(bytes: 50_000_000) }
        var policy = HTTPPolicy()
        policy.bodyLimit = 60_000_000
        policy.callTimeout = .seconds(240)
        let patient = HTTPClient(policy: policy)
        let request = HTTPRequest(.get, try url(server, "/"))
        await #expect(throws: HTTPError.self) { try await client.send(request, retrying: .never) }
        #expect(await server.events.first { $0 == .gone(1) || $0 == .answer(1, status: 200) } != nil)
        #expect(try await patient.send(request, retrying: .never).body.count == 50_000_000)
    }

    @Test("A server that stops refuses connections and cancels waiting handlers")
    func stop() async throws {
        let cancelled = Gate()
        let server = try LoopbackServer(named: "Test") { _ in
            await Gate().wait()
            cancelled.open()
            return .cut
        }
        let request = HTTPRequest(.get, try url(server, "/"))
        let answer = Task { try await client.send(request, retrying: .never) }
        _ = await server.events.first { _ in true }
        server.stop()
        await #expect(throws: HTTPError.self) { try await answer.value }
        await cancelled.wait()
        await #expect(throws: HTTPError.self) {
            try await client.send(HTTPRequest(.get, try url(server, "/")), retrying: .never)
        }
    }

    @Test("A page escapes its content, and a throttled response has Retry-After")
    func pages() async throws {
        let server = try LoopbackServer(named: "Test") { request in
            request.path == "/wait"
                ? .tooMany(retryAfter: 7)
                : .page(HTMLPage("A < B", [HTMLPage.paragraph("<script>"), HTMLPage.link("x", to: "/?a=\"b\"&c")]))
        }
        let page = try await client.send(HTTPRequest(.get, try url(server, "/")), retrying: .never)
        let html = String(decoding: page.body, as: UTF8.self)
        #expect(html.contains("<h1>A &lt; B</h1>") && html.contains("<p>&lt;script&gt;</p>"))
        #expect(html.contains("href=\"/?a=&quot;b&quot;&amp;c\""))
        #expect(page.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        let wait = try await client.send(HTTPRequest(.get, try url(server, "/wait")), retrying: .never)
        #expect(wait.status == 429 && wait.headers["Retry-After"] == "7")
    }

    private let client = HTTPClient.patient

    private func url(_ server: LoopbackServer, _ path: String) throws -> URL {
        try #require(URL(string: server.address + path))
    }

    private func post(_ server: LoopbackServer, _ body: String) async throws -> String {
        let headers: HTTPHeaders = ["Content-Type": "application/json"]
        let request = HTTPRequest(.post, try url(server, "/"), headers: headers, body: Array(body.utf8))
        return String(decoding: try await client.send(request, retrying: .never).body, as: UTF8.self)
    }

    /// Returns everything that the server sends for a request until it closes the connection.
    private func raw(_ server: LoopbackServer, _ path: String, _ headers: String = "") throws -> String {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(connection) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(server.port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(connection, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
        let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\(headers)\r\n"
        try #require(unsafe send(connection, request, request.utf8.count, 0) == request.utf8.count)
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: received, as: UTF8.self) }
            received += buffer[..<count]
        }
    }
}

extension HTTPClient {
    /// A client that does not retry, with a long time limit since the machine may be busy.
    fileprivate static var patient: HTTPClient {
        var policy = HTTPPolicy()
        policy.retryLimit = 0
        policy.callTimeout = .seconds(240)
        return HTTPClient(policy: policy)
    }
}
