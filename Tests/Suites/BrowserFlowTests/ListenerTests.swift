import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import BrowserFlow

@Suite("The redirect listener")
struct ListenerTests {
    @Test("The expected redirect returns its parameters, and the browser gets a page")
    func answer() async throws {
        let flow = try Flow(page: BrowserPage(title: "A <b>", message: "\"Done\" & over", language: "en\"\u{301} x=\""))
        let page = get(flow.port, "/callback?state=s%2B1&code=a+b%26%C3%A4&empty=")
        let answer = try await flow.answer.value.get()
        #expect(answer.parameters == ["state": "s+1", "code": "a b&ä", "empty": ""])
        #expect(answer["code"] == "a b&ä")
        let text = try #require(page)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        for header in [
            "Content-Type: text/html; charset=utf-8", "Cache-Control: no-store", "Connection: close",
            "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'", "Referrer-Policy: no-referrer",
            "Cross-Origin-Resource-Policy: same-origin",
        ] {
            #expect(text.contains("\(header)\r\n"))
        }
        #expect(text.contains("<html lang=\"en&quot;\u{301} x=&quot;\">"))
        #expect(text.contains("<h1>A &lt;b&gt;</h1><p>&quot;Done&quot; &amp; over</p>"))
        #expect(!text.contains("code"))
    }

    @Test("The address is on 127.0.0.1, without a listener on IPv6")
    func address() throws {
        let listener = try RedirectListener(path: "/a/b")
        let port = try #require(listener.redirectURI.port)
        #expect(listener.redirectURI.absoluteString == "http://127.0.0.1:\(port)/a/b")
        #expect(RawConnection(port) != nil)
        #expect(RawConnection(port, family: AF_INET6) == nil)
    }

    @Test("A browser that connects before the wait begins is served")
    func early() async throws {
        let listener = try RedirectListener()
        let port = try #require(listener.redirectURI.port)
        let connection = try #require(RawConnection(port))
        connection.send("GET /callback?state=s HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        #expect(try await listener.redirect(matching: "s").parameters == ["state": "s"])
    }

    @Test("An incomplete request is answered with 408; a silent connection is just closed")
    func incomplete() async throws {
        let socket = try LoopbackSocket.listening(on: 0)
        let port = Int(socket.port)
        let wakeUp = WakeUp()
        let rules = RedirectRules(path: "/callback", host: "127.0.0.1:\(port)", state: "s")
        let (half, silent) = (try #require(RawConnection(port)), try #require(RawConnection(port)))
        half.send("GET /callback?state=s HTTP/1.1\r\nHost: ")
        let isDone = Atomic(false)
        async let arrival: Void = Self.listen(at: socket, rules, wakeUp) { isDone.load(ordering: .relaxed) }
        let answers = [half.receive(), silent.receive()]
        isDone.store(true, ordering: .relaxed)
        wakeUp.signal()
        await arrival
        #expect(answers[0].hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(answers[1].isEmpty)
    }

    private static func listen(
        at socket: LoopbackSocket,
        _ rules: RedirectRules,
        _ wakeUp: WakeUp,
        until isStopped: @escaping @Sendable () -> Bool
    ) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var loop = RedirectLoop(rules, wakeUp, until: .now + .seconds(60), connectionTime: .milliseconds(50))
                #expect(loop.arrival(at: [socket], isStopped: isStopped) == nil)
                continuation.resume()
            }
        }
    }

    @Test("An accepted connection neither blocks nor is inherited by programs")
    func flags() throws {
        let socket = try LoopbackSocket.listening(on: 0)
        let browser = try #require(RawConnection(Int(socket.port)))
        var entry = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&entry, 1, 60_000) == 1)
        let connection = try #require(socket.accepted())
        #expect(fcntl(connection.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(connection.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(connection.received() == nil)
        withExtendedLifetime(browser) {}
    }

    @Test("After the first redirect the port is closed, and a second redirect gets nothing")
    func second() async throws {
        let flow = try Flow()
        let first = RawConnection(flow.port)
        let second = RawConnection(flow.port)
        let request = "GET /callback?state=s%2B1 HTTP/1.1\r\nHost: 127.0.0.1:\(flow.port)\r\n\r\n"
        first?.send(request)
        let page = first?.receive()
        second?.send(request)
        let answers = [page, second?.receive()]
        _ = try await flow.answer.value.get()
        #expect(answers[0]?.hasPrefix("HTTP/1.1 200") == true)
        #expect(answers[1] == "")
        #expect(RawConnection(flow.port) == nil)
    }

    @Test(
        "Any other request is refused, and the listener continues",
        arguments: [
            ("GET /callback?state=other&code=x HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
            ("GET /callback?code=x HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
            ("GET /callback?error=access_denied HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
            ("GET /callback?state=s%2B1&code=x&code=y HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
            ("GET /callback?state=s%2B1&state=s%2B1 HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
            ("GET /callback?state=s%2B1&code=%zz HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
            ("GET /callback?state=s%2B1&code=%ff HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
            ("GET /callback?state=s%2B1&code=% HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
            ("GET /callback HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
            ("GET /favicon.ico HTTP/1.1\r\nHost: HOST\r\n\r\n", 404),
            ("GET / HTTP/1.1\r\nHost: HOST\r\n\r\n", 404),
            ("GET /callback/?state=s%2B1 HTTP/1.1\r\nHost: HOST\r\n\r\n", 404),
            ("GET /Callback?state=s%2B1 HTTP/1.1\r\nHost: HOST\r\n\r\n", 404),
            ("GET http://HOST/callback?state=s%2B1 HTTP/1.1\r\nHost: HOST\r\n\r\n", 404),
            ("POST /callback?state=s%2B1 HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\n\r\n", 405),
            ("HEAD /callback?state=s%2B1 HTTP/1.1\r\nHost: HOST\r\n\r\n", 405),
            ("GET /callback?state=s%2B1 HTTP/1.1\r\nHost: evil.example\r\n\r\n", 400),
            ("GET /callback?state=s%2B1 HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n", 400),
            ("GET /callback?state=s%2B1 HTTP/1.1\r\nHost: HOST\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET /callback?state=s%2B1 HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n", 400),
            ("GET /callback?state=s%2B1 HTTP/1.1\r\n\r\n", 400),
            ("GET /callback?state=s%2B1 HTTP/2.0\r\nHost: HOST\r\n\r\n", 400),
            ("GET /callback?state=s%2B1\r\n\r\n", 400),
            ("\u{16}\u{3}\u{1} TLS\r\n\r\n", 400),
            ("GET /callback?state=s%2B1 HTTP/1.1\r\nHost: LONG\r\n\r\n", 400),
            ("GET /callback?state=s%2B1&code=LONG HTTP/1.1\r\nHost: HOST\r\n\r\n", 414),
            ("LONG", 414),
        ]
    )
    func refused(request: String, status: Int) async throws {
        let flow = try Flow()
        let text = request.replacingOccurrences(of: "HOST", with: "127.0.0.1:\(flow.port)")
            .replacingOccurrences(of: "PORT", with: "\(flow.port)")
            .replacingOccurrences(of: "LONG", with: String(repeating: "x", count: 40_000))
        let refusal = exchange(flow.port, text)
        #expect(refusal?.hasPrefix("HTTP/1.1 \(status) ") == true, "\(refusal ?? "nobody listens")")
        _ = get(flow.port, "/callback?state=s%2B1")
        _ = try await flow.answer.value.get()
    }

    @Test(
        "Cookies and other header lines of any size and number do not matter",
        arguments: [(1, 9_000), (1, 1_000_000), (20_000, 50), (1, 1023), (1, 1024), (1, 1025)]
    )
    func largeHeaders(count: Int, size: Int) async throws {
        let flow = try Flow()
        let cookies = String(repeating: "Cookie: \(String(repeating: "x", count: size))\r\n", count: count)
        let request =
            "GET /callback?state=s%2B1&code=x HTTP/1.1\r\n\(cookies)Host: 127.0.0.1:\(flow.port)\r\n\(cookies)\r\n"
        let page = exchange(flow.port, request)
        #expect(page?.hasPrefix("HTTP/1.1 200") == true, "\(page ?? "nobody listens")")
        #expect(try await flow.answer.value.get()["code"] == "x")
    }

    @Test("A request keeps its line and Host only")
    func memory() {
        var request = RedirectRequest()
        request.read("GET / HTTP/1.1\r\nHost: a\r\n".utf8)
        for _ in 1...1000 { request.read("Cookie: \(String(repeating: "x", count: 1000))".utf8) }
        var kept = ""
        dump(request, to: &kept)
        #expect(kept.utf8.count < 100_000)
        for _ in 1...1000 { request.read("\r\nHost: b".utf8) }
        request.read("\r\n\r\n".utf8)
        #expect(request.progress == .complete && request.hosts.count == 2)
    }

    static let refusals: [(String, String, RedirectRefusal)] = [
        ("GET /callback?state=other&code=x HTTP/1.1\r\nHost: HOST", "belongs to another sign-in", .otherState),
        ("GET /callback?code=x HTTP/1.1\r\nHost: HOST", "has no state", .noState),
        ("GET /callback?state=s%2B1&code=x&code=y HTTP/1.1\r\nHost: HOST", "occurs twice", .parameters),
        ("GET /callback?state=s%2B1&code=x HTTP/1.1\r\nHost: localhost:1", "another host name", .host),
        ("POST /callback HTTP/1.1\r\nHost: HOST", "response_mode=query", .method),
        ("GET /callback?code=\(String(repeating: "x", count: 40_000)) HTTP/1.1", "longer than 32 kB", .tooLong),
    ]

    @Test("A refusal at the redirect path is told on the page, to the app, and at the end", arguments: refusals)
    func told(request: String, words: String, refusal: RedirectRefusal) async throws {
        let noted = Mutex<[RedirectRefusal]>([])
        let listener = try RedirectListener(path: "/callback", port: nil, host: .address, page: .default) { refusal in
            noted.withLock { $0.append(refusal) }
        }
        let port = try #require(listener.redirectURI.port)
        async let answer = listener.redirect(matching: "s+1", timeout: .milliseconds(500))
        let page = exchange(port, request.replacing("HOST", with: "127.0.0.1:\(port)") + "\r\n\r\n")
        #expect(page?.contains("<h1>Not signed in</h1>") == true && page?.contains(words) == true, "\(page ?? "")")
        // It is told once, however often anybody sends it.
        _ = exchange(port, request.replacing("HOST", with: "127.0.0.1:\(port)") + "\r\n\r\n")
        #expect(get(port, "/favicon.ico")?.contains("404") == true)
        do {
            _ = try await answer
            Issue.record("The sign-in succeeded.")
        } catch let error as BrowserFlowError {
            #expect(error.code == .timedOut)
            #expect(error.message.hasSuffix("A redirect was refused: \(refusal.reason.beginningInLowerCase)."))
            #expect(error.remedy == refusal.remedy)
        }
        #expect(noted.withLock { $0 } == [refusal, .path])
    }

    static let families: [Int32] = unsafe access("/proc/net/if_inet6", R_OK) == 0 ? [AF_INET, AF_INET6] : [AF_INET]

    @Test("With localhost the listener is on both addresses, at one port", arguments: families)
    func localhost(family: Int32) async throws {
        let listener = try RedirectListener(host: .localhost)
        let port = try #require(listener.redirectURI.port)
        #expect(listener.redirectURI.absoluteString == "http://localhost:\(port)/callback")
        async let answer = listener.redirect(matching: "s")
        #expect(get(port, "/callback?state=s&code=x")?.hasPrefix("HTTP/1.1 400") == true)
        let browser = try #require(RawConnection(port, family: family))
        browser.send("GET /callback?state=s&code=x HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
        #expect(browser.receive().hasPrefix("HTTP/1.1 200"))
        #expect(try await answer["code"] == "x")
        #expect(RawConnection(port) == nil && RawConnection(port, family: AF_INET6) == nil)
    }

    @Test(
        "A port that another program has on the other address is not used for localhost",
        .enabled(if: families.count == 2, "there is no IPv6")
    )
    func takenLocalhost() throws {
        let others = try LoopbackSocket.listening(on: 0, for: .localhost)
        others[0].close()
        let port = others[1].port
        #expect(try RedirectListener(port: port).redirectURI.port == Int(port))
        do {
            _ = try RedirectListener(port: port, host: .localhost)
            Issue.record("the port was opened twice")
        } catch {
            #expect(error.code == .portUnavailable)
        }
    }

    @Test("Silent, slow or incomplete connections do not delay others")
    func slow() async throws {
        let flow = try Flow()
        // More than the listener keeps.
        let silent = (1...40).map { _ in RawConnection(flow.port) }
        let slow = RawConnection(flow.port)
        for letter in "GET /callback?state=s%2B1 HT" { slow?.send(String(letter)) }
        let page = get(flow.port, "/callback?state=s%2B1&code=x")
        withExtendedLifetime((silent, slow)) {}
        #expect(page?.hasPrefix("HTTP/1.1 200") == true)
        #expect(try await flow.answer.value.get()["code"] == "x")
    }

    @Test("A request sent in pieces is one request")
    func pieces() async throws {
        let flow = try Flow()
        let connection = RawConnection(flow.port)
        for letter in "GET /callback?state=s%2B1 HTTP/1.1\r\nhOST: 127.0.0.1:\(flow.port)\r\n\r\n" {
            connection?.send(String(letter))
        }
        let page = connection?.receive()
        #expect(page?.hasPrefix("HTTP/1.1 200") == true)
        _ = try await flow.answer.value.get()
    }

    @Test("Without a redirect the wait ends at its timeout")
    func timeout() async throws {
        let listener = try RedirectListener()
        await expectFailure(\BrowserFlowError.code, .timedOut) {
            _ = try await listener.redirect(matching: "s", timeout: .milliseconds(100))
        }
        #expect(RawConnection(try #require(listener.redirectURI.port)) == nil)
    }

    @Test("A cancelled task or a closed listener ends waiting and listening immediately", arguments: [true, false])
    func cancellation(byTask: Bool) async throws {
        let flow = try Flow()
        // The response to another request shows that it listens.
        #expect(get(flow.port, "/")?.hasPrefix("HTTP/1.1 404") == true)
        if byTask { flow.answer.cancel() } else { flow.listener.close() }
        await expectFailure(\BrowserFlowError.code, .cancelled) { _ = try await flow.answer.value.get() }
        #expect(RawConnection(flow.port) == nil)
    }

    @Test("A released listener frees its port")
    func unused() throws {
        let port = try #require(try RedirectListener().redirectURI.port)
        #expect(RawConnection(port) == nil)
    }

    @Test("A fixed port in use is an error that names it; later the port is free again")
    func fixedPort() async throws {
        let first = try RedirectListener()
        let port = try #require(first.redirectURI.port)
        do {
            _ = try RedirectListener(port: UInt16(port))
            Issue.record("the port was opened twice")
        } catch {
            #expect(error.code == .portUnavailable)
            #expect(error.message.contains("port \(port) of 127.0.0.1: another program uses it"))
        }
        async let answer = first.redirect(matching: "s")
        let page = get(port, "/callback?state=s")
        #expect(page?.hasPrefix("HTTP/1.1 200") == true)
        _ = try await answer
        let second = try RedirectListener(port: UInt16(port))
        #expect(second.redirectURI.port == port)
    }

    @Test("A printed answer shows no values")
    func redaction() async throws {
        let flow = try Flow()
        _ = get(flow.port, "/callback?state=s%2B1&code=secret")
        let answer = try await flow.answer.value.get()
        var dumped = ""
        dump(answer, to: &dumped)
        for text in ["\(answer)", String(reflecting: answer), dumped] { #expect(!text.contains("secret")) }
        #expect("\(answer)" == "code, state")
    }
}

/// A listener, and a task that waits for an answer with the state `s+1`.
private final class Flow: Sendable {
    let listener: RedirectListener
    let port: Int
    let answer: Task<Result<RedirectAnswer, BrowserFlowError>, Never>

    init(page: BrowserPage = .default) throws {
        let listener = try RedirectListener(page: page)
        self.listener = listener
        port = try #require(listener.redirectURI.port)
        answer = Task {
            do throws(BrowserFlowError) {
                return .success(try await listener.redirect(matching: "s+1"))
            } catch {
                return .failure(error)
            }
        }
    }
}
