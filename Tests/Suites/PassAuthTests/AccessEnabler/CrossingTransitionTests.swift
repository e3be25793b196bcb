import Testing

@testable import PassAuth

/// Calls and events that come while another call is under way.
struct CrossingTransitionTests {
    static let ready = EngineRow.ready
    static let signedIn = EngineRow.signedIn
    static let out = "authentication(0, User Not Authenticated Error)"
    static let cancelled = "authentication(0, Provider not Selected Error)"
    static let dropped = "tokenRequestFailed(Provider not Selected Error)"

    static let changeRows: [EngineRow] = [
        EngineRow(
            "1, another app logs out during a resync",
            after: signedIn + ["setRequestor R1", "another app logs out", "registration done"],
            "configuration found",
            ["store prepare", "requestorComplete(1)", out],
            "ready"
        ),
        EngineRow(
            "2, during one that fails",
            after: signedIn + ["setRequestor R1", "another app logs out"],
            "registration fails noAccessToken",
            ["status(R401)", "requestorComplete(0)", out],
            "ready"
        ),
        EngineRow(
            "3, in the middle of a question, which ends too",
            after: signedIn + ["checkAuthorization a", "setRequestor R1", "another app logs out", "registration done"],
            "configuration found",
            [
                "store prepare", "requestorComplete(1)", "cancel", "tokenRequestFailed(User Not Authenticated Error)",
                out,
            ],
            "ready"
        ),
        EngineRow(
            "4, another app signs in during a resync",
            after: ready + ["setRequestor R1", "another app signs in", "registration done"],
            "configuration found",
            ["store prepare", "requestorComplete(1)", "authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "5, during the first configuration, which says nothing of it",
            after: ["setRequestor R1", "another app signs in", "registration done"],
            "configuration found",
            ["store prepare", "requestorComplete(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "6, on the page of a log-out",
            after: signedIn + ["logout", "logOutURL page", "another app signs in"],
            "handleExternalURL adobepass://ios.app",
            ["cancel", out, "loggedOut", "authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "7, another app logs out as soon as a sign-in is stored",
            after: EngineRow.onPage + [EngineRow.redirect, "another app logs out next"],
            "profile found",
            ["store signIn M1", "status(N130)", "authentication(0, Generic Authentication Error)"],
            "ready"
        ),
    ]

    @Test("What another app does meanwhile is reported when the call has ended", arguments: changeRows)
    func change(_ row: EngineRow) throws { try row.check() }

    static let clientRows: [EngineRow] = [
        EngineRow(
            "1, found by a question about the person",
            after: signedIn + ["getMetadata zip", "the app is another client"],
            "metadata fails notAuthenticated",
            ["metadata(none)", out],
            "ready"
        ),
        EngineRow(
            "2, by an authorization",
            after: signedIn + ["checkAuthorization a", "the app is another client"],
            "authorization fails signedInByOtherApp",
            ["status(N130)", out, "tokenRequestFailed(User Not Authenticated Error)"],
            "ready"
        ),
        EngineRow(
            "3, by a resync",
            after: signedIn + ["setRequestor R1", "registration done", "the app is another client"],
            "configuration found",
            ["store prepare", "requestorComplete(1)", out],
            "ready"
        ),
        EngineRow(
            "4, in the middle of a sign-in, which goes on",
            after: signedIn + ["getAuthentication forced", "the app is another client"],
            "start page",
            ["navigation(plain)"],
            "ready, page"
        ),
        EngineRow(
            "5, and whose failure is heard once",
            after: signedIn + ["getAuthentication forced", "the app is another client"],
            "start fails network",
            ["status(N500)", "store choose M1", "authentication(0, Generic Authentication Error)"],
            "ready"
        ),
    ]

    @Test("An app that had to register again hears that its session is over", arguments: clientRows)
    func client(_ row: EngineRow) throws { try row.check() }

    static let givenUpRows: [EngineRow] = [
        EngineRow(
            "1, of a sign-in",
            after: ready + ["getAuthentication"],
            "giveUp 1",
            ["status(N005)", "store choose none", cancelled],
            "ready"
        ),
        EngineRow(
            "2, before it has begun",
            after: ["setRequestor R1", "getAuthentication"],
            "giveUp 1",
            [cancelled],
            "configuring"
        ),
        EngineRow(
            "3, of an authorization, before it has begun",
            after: ["setRequestor R1", "getAuthorization a"],
            "giveUp 1",
            [dropped],
            "configuring"
        ),
        EngineRow(
            "4, of an authorization that began a sign-in",
            after: ready + ["getAuthorization a"],
            "giveUp 1",
            ["status(N005)", "store choose none", cancelled, dropped],
            "ready"
        ),
        EngineRow(
            "5, of one that joined it",
            after: ready + ["getAuthorization a", "getAuthorization b"],
            "giveUp 1",
            [dropped],
            "ready, picker"
        ),
        EngineRow(
            "6, of the sign-in that another one joined",
            after: ready + ["getAuthentication", "getAuthorization b"],
            "giveUp 2",
            [],
            "ready, picker"
        ),
        EngineRow(
            "7, of an authorization of who is signed in: they stay so",
            after: signedIn + ["getAuthorization a"],
            "giveUp 1",
            [],
            "ready, signed in with M1"
        ),
        EngineRow(
            "8, of a call that has ended",
            after: signedIn + ["getAuthentication"],
            "giveUp 1",
            [],
            "ready, signed in with M1"
        ),
    ]

    @Test("A call that nobody waits for any more ends its own sign-in, and nothing else", arguments: givenUpRows)
    func givenUp(_ row: EngineRow) throws { try row.check() }
}
