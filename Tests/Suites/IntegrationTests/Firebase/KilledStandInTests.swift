import Glibc
import IdentityToolkit
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

/// Tests a server that dies in the middle of a call.
struct KilledStandInTests {
    @Test(
        "If the server dies before its response, the outcome is unknown; the user stays"
    )
    func signUp() async throws {
        let world = try AppFixture()
        let server = try await StandInProcess.started(world)
        let app = try TestApp(world) { options in
            var settings = IdentityToolkit.Settings()
            settings.policy.callTimeout = .seconds(240)
            options.identityProvider = .firebase(apiKey: "KEY", settings: settings)
            options.identityTimeout = .seconds(240)
        }
        app.auth.useEmulator(withHost: "127.0.0.1", port: server.port)
        let former = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret-1").user
        let tokens = former.refreshToken
        let contents = try world.contents()
        _ = app.announcements()
        let next = try await server.control(.get, "events").seconds("next").map { Int($0) } ?? 0
        _ = try await server.control(.post, "faults", #"{"kind":"hold","path":"accounts:signUp","after":true}"#)

        let signUp = Task { try await app.auth.createUser(withEmail: "bo@example.com", password: "secret-1") }
        let made = try await server.control(.get, "events?kind=signUp&wait=60&after=\(next)")
        #expect(made.objects("events").count == 1)
        server.child.signal(SIGKILL)
        await expectFailure(.outcomeUnknown) { try await signUp.value }

        #expect(app.auth.currentUser === former && former.refreshToken == tokens)
        #expect(app.announcements().isEmpty)
        #expect(try app.stored(nil) == former.uid)
        #expect(try world.contents() == contents)
        // Without the server, the session is also unchanged.
        await expectFailure(.networkError) { try await former.reload() }
        #expect(app.auth.currentUser === former)
    }
}
