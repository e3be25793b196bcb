import Foundation
import TestSupport
import Testing

@testable import PassAuth

/// A log-out that does not wait for the configuration.
@Suite(.timeLimit(.minutes(1)))
struct LogOutTransitionTests {
    private static let out = "authentication(0, User Not Authenticated Error)"
    private static let complete = "requestorComplete(1)"
    private static let configuring = ["another app signs in", "setRequestor R1"]
    private static let passive = MVPD("M1", integration: MVPDIntegration(mvpd: "M1", isPassive: true))

    static let rows: [EngineRow] = [
        EngineRow(
            "1, before the app is registered",
            after: configuring,
            "logout",
            ["store wipe", out],
            "configuring, logging out"
        ),
        EngineRow(
            "2, the configuration arrives",
            after: configuring + ["logout", "registration done"],
            "configuration found",
            ["store prepare", complete, "ask logOutURL"],
            "ready, logging out"
        ),
        EngineRow(
            "3, the configuration fails",
            after: configuring + ["logout"],
            "registration fails notRegistered",
            ["status(R400)", "requestorComplete(0)", "status(LOGOUT500)", "loggedOut"],
            "failed"
        ),
        EngineRow(
            "4, the server has finished its part",
            after: configuring + ["logout", "registration done", "configuration found"],
            "logOutURL none",
            ["loggedOut"],
            "ready"
        ),
        EngineRow(
            "5, no user is signed in",
            after: ["setRequestor R1"],
            "logout",
            ["store wipe", out, "loggedOut"],
            "configuring"
        ),
        EngineRow("6, before any configuration", after: [], "logout", ["store wipe", out, "loggedOut"], "idle"),
        EngineRow(
            "7, earlier calls end with it",
            after: configuring + ["getAuthentication", "checkAuthorization a", "checkAuthentication"],
            "logout",
            ["tokenRequestFailed(User Not Authenticated Error)", "store wipe", out],
            "configuring, 1 queued, logging out"
        ),
        EngineRow(
            "8, a passive sign-in is abandoned",
            passive,
            after: ["setRequestor R1", "registration done", "configuration found"],
            "logout",
            ["cancel", complete, "store wipe", out, "loggedOut"],
            "ready"
        ),
        EngineRow(
            "9, another programmer is configured",
            after: configuring + ["logout"],
            "setRequestor R2",
            [
                "cancel", "requestorComplete(0)", "status(LOGOUT500)", "loggedOut", "store integrity",
                "ask registration",
            ],
            "configuring"
        ),
        EngineRow(
            "10, during a resync, it calls the server",
            after: EngineRow.signedIn + ["setRequestor R1"],
            "logout",
            ["store wipe", "ask logOutURL"],
            "configuring, logging out"
        ),
        EngineRow(
            "11, without a configuration",
            after: ["another app signs in", "setRequestor R1", "registration fails notRegistered"],
            "logout",
            ["store wipe", "status(LOGOUT500)", out, "loggedOut"],
            "failed"
        ),
    ]

    @Test("A log-out clears the store before the configuration has ended", arguments: rows)
    func logOut(_ row: EngineRow) throws { try row.check() }

    @Test("A log-out clears the store while the server hangs, and reports that later", arguments: [false, true])
    func hanging(_ isTold: Bool) async throws {
        let world = PassStoreFixture()
        let first = try EnablerApp(world)
        try await first.start()
        await first.signIn()
        let app = try EnablerApp(world)
        app.backEnd.change { $0.hanging = ["register"] }
        var calls = app.backEnd.calls.makeAsyncIterator()
        app.call { $0.setRequestor("R1") }
        while let name = await calls.next(), !name.hasPrefix("register") {}
        app.call { $0.logout() }
        #expect(await app.hear(until: "status") == ["status 0 User Not Authenticated Error"])
        #expect(try app.enabler.tokens.contents().tokens.isEmpty)
        if isTold {
            app.backEnd.change { $0.hanging = [] }
            app.timers.pass(.seconds(30))
            #expect(
                await app.hear(until: "report LOGOUT500")
                    == ["report CFG404 error", "setRequestorComplete 0", "report LOGOUT500 warning"]
            )
        }
    }
}
