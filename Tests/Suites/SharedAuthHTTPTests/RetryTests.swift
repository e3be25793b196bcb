import FoundationEssentials
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@Suite("Requests that are retried")
struct RetryTests {
    @Test(
        "An idempotent request is retried twice, with a longer pause each time",
        arguments: [408, 429, 502, 503, 504]
    )
    func status(status: Int) async throws {
        let world = RetryFixture(.success(HTTPResponse(status: status)), .success(HTTPResponse(status: status)), .ok)
        #expect(try await world.get().status == 200)
        #expect(world.transport.requests.count == 3)
        #expect(world.pauses == [.milliseconds(500), .seconds(1)])
    }

    @Test("After the third attempt the last response counts")
    func last() async throws {
        let world = RetryFixture(outcomes: Array(repeating: .success(HTTPResponse(status: 503)), count: 4))
        #expect(try await world.get().status == 503)
        #expect(world.transport.requests.count == 3)
    }

    @Test(
        "A temporary failure is retried",
        arguments: [HTTPError.Code.unreachable, .cutOff, .timedOut, .malformedAnswer]
    )
    func failure(code: HTTPError.Code) async throws {
        let world = RetryFixture(.failure(HTTPError(code, "", requestWasSent: true)), .ok)
        #expect(try await world.get().status == 200)
    }

    @Test(
        "A permanent failure is not retried",
        arguments: [HTTPError.Code.tls, .bodyTooLarge, .transportMissing, .cancelled]
    )
    func lasting(code: HTTPError.Code) async throws {
        let world = RetryFixture(.failure(HTTPError(code, "The cause.")), .ok)
        await expectFailure(\HTTPError.code, code) { try await world.get() }
        #expect(world.transport.requests.count == 1)
    }

    @Test("Other statuses are returned as responses", arguments: [200, 304, 400, 401, 403, 404, 500, 501])
    func answers(status: Int) async throws {
        let world = RetryFixture(.success(HTTPResponse(status: status)), .ok)
        #expect(try await world.get().status == status)
        #expect(world.transport.requests.count == 1)
    }

    @Test("Retry-After is obeyed, in seconds and as a date")
    func retryAfter() async throws {
        let seconds = HTTPResponse(status: 429, headers: ["Retry-After": "7"])
        let date = HTTPResponse(status: 503, headers: ["retry-after": "Sun, 06 Nov 1994 08:49:46 GMT"])
        let world = RetryFixture(.success(seconds), .success(date), .ok)
        #expect(try await world.get().status == 200)
        #expect(world.pauses == [.seconds(7), .seconds(9)])
    }

    @Test(
        "An invalid Retry-After is ignored",
        arguments: ["soon", "-1", "Sun, 31 Foo 1994 08:49:46 GMT", "1.5", ""]
    )
    func nonsense(value: String) async throws {
        let world = RetryFixture(.success(HTTPResponse(status: 429, headers: ["Retry-After": value])), .ok)
        #expect(try await world.get().status == 200)
        #expect(world.pauses == [.milliseconds(500)])
    }

    @Test(
        "A pause longer than the call's remaining time is not started",
        arguments: ["30", "3600", "99999999999999999999"]
    )
    func tooLong(value: String) async throws {
        let world = RetryFixture(.success(HTTPResponse(status: 429, headers: ["Retry-After": value])), .ok)
        #expect(try await world.get().status == 429)
        #expect(world.pauses.isEmpty)
    }

    @Test("Retries share the call's time limit")
    func remainingTime() async throws {
        let world = RetryFixture(.success(HTTPResponse(status: 503, headers: ["Retry-After": "25"])), .ok)
        _ = try await world.get()
        #expect(world.transport.limits.map(\.exchange) == [.seconds(30), .seconds(5)])
        #expect(world.transport.limits.map(\.connect) == [.seconds(10), .seconds(5)])
    }

    @Test("A request that must not be repeated is sent once, whatever the result")
    func never() async throws {
        for outcome in [Outcome.success(HTTPResponse(status: 503)), .failure(HTTPError(.unreachable, ""))] {
            let world = RetryFixture(outcome, .ok)
            _ = try? await world.client.post(world.url)
            #expect(world.transport.requests.count == 1)
        }
    }

    @Test(
        "A failure after an unrepeatable request was sent leaves its outcome unknown",
        arguments: [HTTPError.Code.cutOff, .timedOut, .malformedAnswer, .bodyTooLarge, .cancelled]
    )
    func unknown(code: HTTPError.Code) async throws {
        let world = RetryFixture(.failure(HTTPError(code, "The cause.", requestWasSent: true)))
        let error = await expectFailure(\HTTPError.code, .cutOff) { try await world.client.post(world.url) }
        #expect(error?.message == "The cause. It is unknown whether the server acted on the request.")
    }

    @Test("A failure before sending is kept", arguments: [HTTPError.Code.unreachable, .timedOut, .tls, .cancelled])
    func known(code: HTTPError.Code) async throws {
        let world = RetryFixture(.failure(HTTPError(code, "The cause.")))
        await expectFailure(\HTTPError.code, code) { try await world.client.post(world.url) }
    }

    @Test("A pause ends when the task is cancelled")
    func cancelledPause() async throws {
        let transport = ScriptedTransport(.success(HTTPResponse(status: 503)), .ok)
        var dependencies = HTTPClient.Dependencies()
        dependencies.sleep = { _ in throw CancellationError() }
        let client = HTTPClient(transport: transport, policy: HTTPPolicy(), dependencies: dependencies)
        let url = try #require(URL(string: "https://a.example/"))
        await expectFailure(\HTTPError.code, .cancelled) { try await client.get(url) }
    }
}

/// A client whose pauses take no time and advance its clock.
private final class RetryFixture: Sendable {
    let transport: ScriptedTransport
    let url = URL(string: "https://a.example/")!
    private let slept = Mutex<[Duration]>([])

    convenience init(_ outcomes: Outcome...) { self.init(outcomes: outcomes) }

    init(outcomes: [Outcome]) { transport = ScriptedTransport(outcomes: outcomes) }

    var pauses: [Duration] { slept.withLock { $0 } }

    var client: HTTPClient {
        let start = ContinuousClock.now
        var dependencies = HTTPClient.Dependencies()
        dependencies.now = { [self] in start + pauses.reduce(.zero, +) }
        // Sun, 06 Nov 1994 08:49:37 GMT
        dependencies.date = { Date(timeIntervalSince1970: 784_111_777) }
        dependencies.sleep = { [self] pause in slept.withLock { $0.append(pause) } }
        dependencies.chance = { 1 }
        return HTTPClient(transport: transport, policy: HTTPPolicy(), dependencies: dependencies)
    }

    func get() async throws(HTTPError) -> HTTPResponse { try await client.get(url) }
}
