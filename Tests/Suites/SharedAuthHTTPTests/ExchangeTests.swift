import DesktopSupport
import Dispatch
import FoundationEssentials
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@Suite("Exchanges by libsoup")
struct ExchangeTests {
    @Test("A response has its status, headers and body, whatever the status")
    func answer() async throws {
        let server = try RawHTTPServer(404, ["X-Thing: one", "x-thing: two"], "not here")
        let response = try await HTTPClient.once().get(try address(server.port, "/a?b=c"))
        #expect(response.status == 404)
        #expect(!response.isSuccess)
        #expect(response.headers["X-THING"] == "one")
        #expect(response.headers.values(of: "x-Thing") == ["one", "two"])
        #expect(response.text == "not here")
        #expect(try #require(server.requests.first).hasPrefix("GET /a?b=c HTTP/1.1\r\n"))
    }

    @Test("A request has its method, headers and body")
    func request() async throws {
        let server = try RawHTTPServer(200)
        let headers: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded", "Authorization": "Bearer x"]
        _ = try await HTTPClient.once().post(try address(server.port, "/token"), "a=b&c=d", headers)
        let request = try #require(server.requests.first)
        #expect(request.hasPrefix("POST /token HTTP/1.1\r\n"))
        #expect(request.contains("Content-Type: application/x-www-form-urlencoded\r\n"))
        #expect(request.contains("Authorization: Bearer x\r\n"))
        #expect(request.contains("Content-Length: 7\r\n"))
        #expect(request.hasSuffix("\r\n\r\na=b&c=d"))
    }

    @Test("Cookies of a response are not sent back")
    func cookies() async throws {
        let server = try RawHTTPServer(200, ["Set-Cookie: a=b; Path=/"])
        for _ in 1...2 { _ = try await HTTPClient.once().get(try address(server.port)) }
        #expect(server.requests.count == 2)
        #expect(!server.requests.contains { $0.lowercased().contains("cookie:") })
    }

    @Test("An incomplete body is not a response")
    func halfBody() async throws {
        let server = try RawHTTPServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"access_token\":")
        await expectFailure(\HTTPError.code, .unreachable) { try await HTTPClient.once().get(url(server)) }
        let error = await expectFailure(\HTTPError.code, .cutOff) {
            try await HTTPClient.once().post(url(server))
        }
        #expect(error?.requestWasSent == true)
    }

    @Test("A connection cut after an unrepeatable request leaves its outcome unknown")
    func cut() async throws {
        let server = try RawHTTPServer { _, _ in }
        let error = await expectFailure(\HTTPError.code, .cutOff) {
            try await HTTPClient.once().post(url(server))
        }
        #expect(error?.message.contains("unknown") == true)
        #expect(server.requests.count == 1)
        await expectFailure(\HTTPError.code, .unreachable) { try await HTTPClient.once().get(url(server)) }
    }

    @Test("A body of 50 MB fails as soon as it exceeds the limit, without being read")
    func large() async throws {
        let sent = Mutex(0)
        let ended = Recorder<Bool>()
        let server = try RawHTTPServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 52428800\r\n\r\n")
            let piece = [UInt8](repeating: 120, count: 65_536)
            while sent.withLock({ $0 }) < 52_428_800, connection.send(piece) { sent.withLock { $0 += piece.count } }
            ended.record(true)
        }
        await expectFailure(\HTTPError.code, .bodyTooLarge) { try await HTTPClient.once().get(url(server)) }
        #expect(ended.first { $0 } != nil)
        #expect(sent.withLock { $0 } < 20_000_000)
    }

    @Test("A body may have the allowed size, but not one byte more", arguments: [1000, 1001])
    func limit(size: Int) async throws {
        let server = try RawHTTPServer(200, [], String(repeating: "x", count: size))
        let client = HTTPClient.once { $0.bodyLimit = 1000 }
        if size == 1000 {
            #expect(try await client.get(url(server)).body.count == 1000)
        } else {
            await expectFailure(\HTTPError.code, .bodyTooLarge) { try await client.get(url(server)) }
        }
    }

    @Test(
        "Bytes that are not HTTP are not a response",
        arguments: ["SSH-2.0-OpenSSH_9.2\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "HTTP/1.1 abc\r\n\r\n"]
    )
    func garbage(answer: String) async throws {
        let server = try RawHTTPServer(answering: answer)
        await expectFailure(\HTTPError.code, .malformedAnswer) { try await HTTPClient.once().get(url(server)) }
    }

    @Test("A server that does not respond in time is timed out, also within its response", arguments: [false, true])
    func late(inBody: Bool) async throws {
        let server = try RawHTTPServer { connection, _ in
            if inBody { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc") }
            connection.readToEnd()
        }
        let client = HTTPClient.once { $0.callTimeout = .seconds(2) }
        await expectFailure(\HTTPError.code, .timedOut) { try await client.get(url(server)) }
        await expectFailure(\HTTPError.code, .cutOff) { try await client.post(url(server)) }
    }

    @Test("A host that accepts no connection in time is timed out, with nothing sent")
    func connectTimeout() async throws {
        // No connection is accepted, and the queue is full.
        let server = try FullListener()
        let client = HTTPClient.once { $0.connectTimeout = .milliseconds(300) }
        let url = try address(server.port)
        let error = await expectFailure(\HTTPError.code, .timedOut) { try await client.post(url) }
        #expect(error?.requestWasSent == false)
    }

    @Test("A port without a listener cannot be reached")
    func refused() async throws {
        let port = try RawHTTPServer(200).port
        let url = try address(port)
        let error = await expectFailure(\HTTPError.code, .unreachable) { try await HTTPClient.once().post(url) }
        #expect(error?.requestWasSent == false)
    }

    @Test("A cancelled task ends the exchange and its connection immediately")
    func cancellation() async throws {
        let events = Recorder<String>()
        let server = try RawHTTPServer { connection, _ in
            events.record("request")
            connection.readToEnd()
            events.record("closed")
        }
        let url = url(server)
        let task = Task { () -> Result<HTTPResponse, HTTPError> in
            do throws(HTTPError) { return .success(try await HTTPClient.once().get(url)) } catch {
                return .failure(error)
            }
        }
        #expect(events.first { $0 == "request" } != nil)
        task.cancel()
        await expectFailure(\HTTPError.code, .cancelled) { try await task.value.get() }
        #expect(events.first { $0 == "closed" } != nil)
    }

    @Test("A task that is already cancelled sends nothing")
    func cancelledBefore() async throws {
        let server = try RawHTTPServer(200)
        let url = url(server)
        let task = Task { () -> HTTPError.Code? in
            while !Task.isCancelled { await Task.yield() }
            do throws(HTTPError) { _ = try await HTTPClient.once().get(url) } catch { return error.code }
            return nil
        }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test("Concurrent requests do not wait for one another")
    func concurrent() async throws {
        let waiting = Mutex(0)
        let everybody = DispatchSemaphore(value: 0)
        let server = try RawHTTPServer { connection, _ in
            let count = waiting.withLock { count -> Int in
                count += 1
                return count
            }
            if count == 20 { for _ in 1...20 { everybody.signal() } }
            _ = everybody.wait(timeout: .now() + 60)
            connection.send(RawHTTPServer.answer(200))
        }
        let url = url(server)
        let statuses = await withTaskGroup { group in
            for _ in 1...20 {
                group.addTask { try? await HTTPClient.once { $0.callTimeout = .seconds(10) }.get(url).status }
            }
            return await group.reduce(into: []) { statuses, status in statuses.append(status) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
    }

    @Test("The keyring's thread does not wait for the HTTP thread")
    func threads() async throws {
        let server = try RawHTTPServer(200)
        _ = try await HTTPClient.once().get(url(server))
        let blocked = Recorder<Bool>()
        let goOn = DispatchSemaphore(value: 0)
        httpThread.enqueue {
            blocked.record(true)
            _ = goOn.wait(timeout: .now() + 60)
        }
        #expect(blocked.first { $0 } != nil)
        #expect(GLibThread.shared.run(by: .after(.seconds(5))) { true } == true)
        goOn.signal()
    }

    private func url(_ server: RawHTTPServer) -> URL {
        URL(string: "http://127.0.0.1:\(server.port)/path")!
    }
}
