import Testing

@testable import PassAuth

struct ConfigurationTransitionTests {
    static let passive = MVPD("M1", integration: MVPDIntegration(mvpd: "M1", isPerRequestor: true, isPassive: true))

    static let rows: [EngineRow] = [
        EngineRow(
            "1, the integrity check runs first",
            after: [],
            "setRequestor R1",
            ["store integrity", "ask registration"],
            "configuring"
        ),
        EngineRow(
            "2, then the registration, then the configuration",
            after: ["setRequestor R1"],
            "registration done",
            ["ask configuration"],
            "configuring"
        ),
        EngineRow(
            "3, then the importer and the sanitizer, then complete",
            after: ["setRequestor R1", "registration done"],
            "configuration found",
            ["store prepare", "requestorComplete(1)"],
            "ready"
        ),
        EngineRow(
            "4, several servers are called in parallel",
            after: ["setRequestor R1 A B"],
            "registration done",
            ["ask configuration of A", "ask configuration of B"],
            "configuring"
        ),
        EngineRow(
            "5, the other servers are waited for, but not for long",
            after: ["setRequestor R1 A B", "registration done"],
            "configuration found",
            ["wait 3 s"],
            "configuring"
        ),
        EngineRow(
            "5b, a slow server is left out",
            after: ["setRequestor R1 A B", "registration done", "configuration found"],
            "time passes",
            ["cancel", "store prepare", "requestorComplete(1)"],
            "ready"
        ),
        EngineRow(
            "6, one response is enough",
            after: ["setRequestor R1 A B", "registration done", "configuration fails network"],
            "configuration found",
            ["store prepare", "requestorComplete(1)"],
            "ready"
        ),
        EngineRow(
            "7, a passive sign-in is attempted",
            passive,
            after: ["setRequestor R1", "registration done"],
            "configuration found",
            ["store prepare", "status(N001)", "ask passive M1"],
            "configuring"
        ),
        EngineRow(
            "8, the passive sign-in succeeds",
            passive,
            after: ["setRequestor R1", "registration done", "configuration found"],
            "passive found",
            ["store signIn M1", "requestorComplete(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "9, the passive sign-in fails, which is not a failure of the configuration",
            passive,
            after: ["setRequestor R1", "registration done", "configuration found"],
            "passive fails network",
            ["requestorComplete(1)"],
            "ready"
        ),
        EngineRow(
            "9, the keyring refuses the passive sign-in, which is reported",
            passive,
            after: ["setRequestor R1", "registration done", "configuration found", "store fails next"],
            "passive found",
            ["store signIn M1", "status(500)", "requestorComplete(1)"],
            "ready"
        ),
        EngineRow(
            "10, calls wait",
            after: ["setRequestor R1", "checkAuthentication"],
            "getMetadata zip",
            [],
            "configuring, 2 queued"
        ),
        EngineRow(
            "11, waiting calls begin in their order",
            after: [
                "setRequestor R1", "checkAuthentication", "getMetadata zip", "getAuthorization a", "registration done",
            ],
            "configuration found",
            [
                "store prepare", "requestorComplete(1)", "status(N000)",
                "authentication(0, User Not Authenticated Error)", "metadata(none)", "providerDialog(M1 M2)",
            ],
            "ready, picker"
        ),
        EngineRow(
            "12, the app is not registered",
            after: ["setRequestor R1"],
            "registration fails notRegistered",
            ["status(R400)", "requestorComplete(0)"],
            "failed"
        ),
        EngineRow(
            "13, each waiting call ends with its own failure",
            after: [
                "setRequestor R1", "checkAuthentication", "getAuthorization a", "checkPreauthorizedResources a",
                "preauthorize a", "getMetadata zip", "getSelectedProvider", "registration done",
            ],
            "configuration fails throttled",
            [
                "status(CFG429)", "requestorComplete(0)", "authentication(0, Generic Authentication Error)",
                "tokenRequestFailed(Generic Authorization Error)", "preauthorized(none)",
                "onFailure requestor_not_configured", "metadata(none)", "selectedProvider(none)",
            ],
            "failed"
        ),
        EngineRow(
            "14, the store is locked",
            after: ["store fails next"],
            "setRequestor R1",
            ["store integrity", "status(500)", "requestorComplete(0)"],
            "failed"
        ),
        EngineRow(
            "15, a failed resync keeps the earlier configuration",
            after: EngineRow.signedIn + ["setRequestor R1", "checkAuthentication"],
            "registration fails noAccessToken",
            ["status(R401)", "requestorComplete(0)", "authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "16, a resync does not end a sign-in in progress",
            after: EngineRow.onPage,
            "setRequestor R1",
            ["store integrity", "ask registration"],
            "configuring, page"
        ),
        EngineRow(
            "17, another programmer ends the sign-in",
            after: EngineRow.onPage,
            "setRequestor R2",
            ["authentication(0, Generic Authentication Error)", "store integrity", "ask registration"],
            "configuring"
        ),
        EngineRow(
            "18, a second call replaces the first",
            after: ["setRequestor R1"],
            "setRequestor R1",
            ["cancel", "requestorComplete(0)", "store integrity", "ask registration"],
            "configuring"
        ),
        EngineRow(
            "19, a call before the first setRequestor waits too",
            after: [],
            "checkAuthentication",
            [],
            "idle, 1 queued"
        ),
        EngineRow(
            "20, preauthorize fails without waiting",
            after: [],
            "preauthorize a",
            ["onFailure requestor_not_configured"],
            "idle"
        ),
    ]

    @Test("setRequestor: effects of each event", arguments: rows)
    func transition(_ row: EngineRow) throws { try row.check() }

    @Test("With several servers, the first response for a TV provider counts")
    func fastest() throws {
        var script = EngineScript()
        for word in ["setRequestor R1 A B", "registration done", "lastConfiguration found", "configuration found"] {
            try script.play(word)
        }
        #expect(script.engine.serviceProviders == ["M1": "B", "M2": "B"])
        #expect(script.state == "ready")
    }
}
