import FoundationEssentials
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@Suite("Requests that a client sends")
struct PolicyTests {
    @Test(
        "Plain http goes to this machine only, unless a host is allowed",
        arguments: [
            ("http://127.0.0.1/", true), ("http://127.255.0.9:80/", true), ("http://localhost:8080/", true),
            ("http://LOCALHOST/", true), ("http://[::1]:8080/", true), ("http://test.example/", true),
            ("https://other.example/", true), ("http://other.example/", false), ("http://127.0.0.1.example/", false),
            ("http://127.0.0.256/", false), ("http://localhost.example/", false), ("http://0.0.0.0/", false),
            ("http://[::2]/", false),
        ]
    )
    func plain(address: String, isAllowed: Bool) async throws {
        let transport = ScriptedTransport(.success(HTTPResponse(status: 200)))
        let client = HTTPClient.once(transport) { $0.plainHosts = ["Test.example"] }
        let url = try #require(URL(string: address))
        if isAllowed {
            #expect(try await client.get(url).status == 200)
        } else {
            await expectFailure(\HTTPError.code, .notHTTPS) { try await client.get(url) }
        }
        #expect(transport.requests.count == (isAllowed ? 1 : 0))
    }

    @Test(
        "An invalid request is refused",
        arguments: ["file:///etc/passwd", "ftp://a.example/", "/path", "https:", "https://a:b@c.example/"]
    )
    func invalid(address: String) async throws {
        let transport = ScriptedTransport(.success(HTTPResponse(status: 200)))
        let url = try #require(URL(string: address))
        await expectFailure(\HTTPError.code, .invalidRequest) { try await HTTPClient.once(transport).get(url) }
        #expect(transport.requests.isEmpty)
    }

    @Test(
        "A header value that would start another header is refused",
        arguments: [("A", "b\r\nC: d"), ("A: b\r\nC", "d"), ("", "b"), ("A", "\u{0}")]
    )
    func headers(name: String, value: String) async throws {
        let transport = ScriptedTransport(.success(HTTPResponse(status: 200)))
        let request = HTTPRequest(
            .get,
            try #require(URL(string: "https://a.example/")),
            headers: HTTPHeaders([(name, value)])
        )
        await expectFailure(\HTTPError.code, .invalidRequest) {
            try await HTTPClient.once(transport).send(request, retrying: .idempotent)
        }
    }

    @Test("A redirect of a GET within one origin is followed, with the headers")
    func redirect() async throws {
        let transport = ScriptedTransport(
            .redirect("/b?c"),
            .redirect("https://A.example:443/d"),
            .success(HTTPResponse(status: 200))
        )
        let request = HTTPRequest(
            .get,
            try #require(URL(string: "https://a.example/a")),
            headers: ["Authorization": "Bearer x"]
        )
        #expect(try await HTTPClient.once(transport).send(request, retrying: .idempotent).status == 200)
        #expect(transport.requests.map { $0.url.path() } == ["/a", "/b", "/d"])
        #expect(transport.requests.allSatisfy { $0.headers["Authorization"] == "Bearer x" })
    }

    @Test(
        "A redirect to another origin is not followed",
        arguments: [
            "https://b.example/", "http://a.example/", "https://a.example:444/", "//b.example/", "ftp://a.example/",
        ]
    )
    func otherOrigin(location: String) async throws {
        let transport = ScriptedTransport(.redirect(location), .success(HTTPResponse(status: 200)))
        let url = try #require(URL(string: "https://a.example/a"))
        await expectFailure(\HTTPError.code, .badRedirect) { try await HTTPClient.once(transport).get(url) }
        #expect(transport.requests.count == 1)
    }

    @Test("A redirect of a POST is not followed", arguments: [301, 302, 303, 307, 308])
    func post(status: Int) async throws {
        let transport = ScriptedTransport(.success(HTTPResponse(status: status, headers: ["Location": "/b"])))
        let url = try #require(URL(string: "https://a.example/a"))
        await expectFailure(\HTTPError.code, .badRedirect) { try await HTTPClient.once(transport).post(url) }
        #expect(transport.requests.count == 1)
    }

    @Test("Five redirects are followed, but not six", arguments: [5, 6])
    func many(count: Int) async throws {
        let transport = ScriptedTransport(
            outcomes: (1...count).map { .redirect("/\($0)") } + [.success(HTTPResponse(status: 200))]
        )
        let url = try #require(URL(string: "https://a.example/0"))
        if count == 5 {
            #expect(try await HTTPClient.once(transport).get(url).status == 200)
        } else {
            await expectFailure(\HTTPError.code, .badRedirect) { try await HTTPClient.once(transport).get(url) }
        }
    }

    @Test(
        "Each failure has one of Auth's error codes",
        arguments: [
            (HTTPError.Code.unreachable, AuthErrorCode.networkError), (.timedOut, .timedOut),
            (.cutOff, .outcomeUnknown),
            (.tls, .networkError), (.bodyTooLarge, .networkError), (.badRedirect, .networkError),
            (.malformedAnswer, .networkError), (.transportMissing, .networkError), (.notHTTPS, .internalError),
        ]
    )
    func authError(code: HTTPError.Code, authCode: AuthErrorCode) {
        let error = AuthError(HTTPError(code, "What failed.", remedy: "What to do."))
        #expect(error.code == authCode)
        #expect(error.message == "What failed.")
        #expect(error.remedy == "What to do.")
        #expect((error.underlying as? HTTPError)?.code == code)
    }

    @Test("Printed requests and responses contain nothing secret")
    func redaction() throws {
        let url = try #require(URL(string: "https://a.example/secret-path?secret=1"))
        let request = HTTPRequest(.post, url, headers: ["Authorization": "secret"], body: Array("secret".utf8))
        let response = HTTPResponse(status: 200, headers: ["Set-Cookie": "secret"], body: Array("secret".utf8))
        for value: Any in [request, response, request.headers] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("secret"))
                #expect(!text.contains("115"))
            }
        }
        #expect("\(request)" == "POST https://a.example")
    }
}
