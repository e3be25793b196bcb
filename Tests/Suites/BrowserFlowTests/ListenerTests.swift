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
                #expect(loop.arrival(at: socket, isStopped: isStopped) == nil)
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
            ("GET /callback?state=s%2B1 HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n", 400),
            ("GET /callback?state=s%2B1 HTTP/1.1\r\n\r\n", 400),
            ("GET /callback?state=s%2B1 HTTP/2.0\r\nHost: HOST\r\n\r\n", 400),
            ("GET /callback?state=s%2B1\r\n\r\n", 400),
            ("\u{16}\u{3}\u{1} TLS\r\n\r\n", 400),
            ("GET /callback?state=s%2B1 HTTP/1.1\r\nHost: HOST\r\nX: LONG\r\n\r\n", 431),
            ("LONGLONG", 431),
        ]
    )
    func refused(request: String, status: Int) async throws {
        let flow = try Flow()
        let text = request.replacingOccurrences(of: "HOST", with: "127.0.0.1:\(flow.port)")
            .replacingOccurrences(of: "PORT", with: "\(flow.port)")
            .replacingOccurrences(of: "LONG", with: String(repeating: "x", count: 9000))
        let refusal = exchange(flow.port, text)
        #expect(refusal?.hasPrefix("HTTP/1.1 \(status) ") == true, "\(refusal ?? "nobody listens")")
        _ = get(flow.port, "/callback?state=s%2B1")
        _ = try await flow.answer.value.get()
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
