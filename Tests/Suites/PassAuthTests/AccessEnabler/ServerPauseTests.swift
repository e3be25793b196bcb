import Foundation
import TestSupport
import Testing

@testable import PassAuth

/// Pauses that a server requests.
@Suite(.timeLimit(.minutes(1)))
struct ServerPauseTests {
    private let world = PassStoreFixture()
    /// The monotonic clock, which a change of the wall clock does not affect.
    private let steady = TestClock()

    /// Returns a signed-in app that the server has just requested to pause.
    private func paused(_ seconds: Int64) async throws -> EnablerApp {
        let app = try EnablerApp(world, steady: steady)
        try await app.start()
        await app.signIn()
        app.backEnd.change {
            $0.failures = ["authorize": [PassBackendError(.throttled, retryAfter: .seconds(seconds))]]
        }
        app.call { $0.checkAuthorization("a") }
        #expect(await app.hear(until: "failed") == ["report Z100 error a", "failed a: User not Authorized Error: "])
        return app
    }

    @Test("During a pause no call is sent, and an authorization says when to try again")
    func calls() async throws {
        let app = try await paused(86_400)
        _ = app.backEnd.takeAsked()
        let moment = (world.clock.now + 60).ISO8601Format()
        app.call { $0.checkAuthorization("a") }
        let words = "Pass received too many requests and requires a pause. Try again at \(moment)."
        #expect(await app.hear(until: "failed").last == "failed a: User not Authorized Error: \(words)")
        app.call { $0.checkPreauthorizedResources(["a"]) }
        #expect(await app.hear(until: "preauthorized") == ["report P100 error", "preauthorized nil"])
        app.call { $0.setRequestor("R1") }
        #expect(await app.hear(until: "setRequestorComplete") == ["report CFG429 error", "setRequestorComplete 0"])
        app.call { $0.logout() }
        #expect(
            await app.hear(until: "status") == ["report LOGOUT500 warning", "status 0 User Not Authenticated Error"]
        )
        #expect(app.backEnd.takeAsked().isEmpty)
    }

    @Test("A pause of a day ends after a minute")
    func limit() async throws {
        let app = try await paused(86_400)
        steady.advance(by: 61)
        app.call { $0.checkAuthorization("a") }
        #expect(await app.hear(until: "token").last == "token media 1 for a")
    }

    @Test("A clock that is set back does not extend a pause")
    func clock() async throws {
        let app = try await paused(1)
        world.clock.advance(by: -3600)
        steady.advance(by: 2)
        app.call { $0.checkAuthorization("a") }
        #expect(await app.hear(until: "token").last == "token media 1 for a")
    }

    @Test("Waiting for a pause counts towards the call's time limit")
    func time() async throws {
        let app = try await paused(1)
        app.call { $0.checkAuthorization("a") }
        // The one-second pause never elapses.
        app.timers.pass(.seconds(30))
        #expect(
            await app.hear(until: "failed").last
                == "failed a: Generic Authorization Error: The server did not answer in time."
        )
    }
}
