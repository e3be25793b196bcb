import Testing

@testable import PassAuth

/// Calls and events that arrive while another call is in progress.
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
            "2, during a resync that fails",
            after: signedIn + ["setRequestor R1", "another app logs out"],
            "registration fails noAccessToken",
            ["status(R401)", "requestorComplete(0)", out],
            "ready"
        ),
        EngineRow(
            "3, during an authorization, which ends too",
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
            "5, during the first configuration, which reports no change",
            after: ["setRequestor R1", "another app signs in", "registration done"],
            "configuration found",
            ["store prepare", "requestorComplete(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "6, while the log-out page is shown",
            after: signedIn + ["logout", "logOutURL page", "another app signs in"],
            "handleExternalURL adobepass://ios.app",
            ["cancel", out, "loggedOut", "authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "7, another app logs out right after a sign-in is stored",
            after: EngineRow.onPage + [EngineRow.redirect, "another app logs out next"],
            "profile found",
            ["store signIn M1", "status(N130)", "authentication(0, Generic Authentication Error)"],
            "ready"
        ),
    ]

    @Test("A change made by another app during a call is reported when the call has ended", arguments: changeRows)
    func change(_ row: EngineRow) throws { try row.check() }

    static let clientRows: [EngineRow] = [
        EngineRow(
            "1, found by a request for user metadata",
            after: signedIn + ["getMetadata zip", "the app is another client"],
            "metadata fails notAuthenticated",
            ["metadata(none)", out],
            "ready"
        ),
        EngineRow(
            "2, found by an authorization",
            after: signedIn + ["checkAuthorization a", "the app is another client"],
            "authorization fails signedInByOtherApp",
            ["status(N130)", out, "tokenRequestFailed(User Not Authenticated Error)"],
            "ready"
        ),
        EngineRow(
            "3, found by a resync",
            after: signedIn + ["setRequestor R1", "registration done", "the app is another client"],
            "configuration found",
            ["store prepare", "requestorComplete(1)", out],
            "ready"
        ),
        EngineRow(
            "4, in the middle of a sign-in, which continues",
            after: signedIn + ["getAuthentication forced", "the app is another client"],
            "start page",
            ["navigation(plain)"],
            "ready, page"
        ),
        EngineRow(
            "5, the failure of that sign-in is reported once",
            after: signedIn + ["getAuthentication forced", "the app is another client"],
            "start fails network",
            ["status(N500)", "store choose M1", "authentication(0, Generic Authentication Error)"],
            "ready"
        ),
    ]

    @Test("An app that had to register again is notified that its session is over", arguments: clientRows)
    func client(_ row: EngineRow) throws { try row.check() }

    static let givenUpRows: [EngineRow] = [
        EngineRow(
            "1, a sign-in",
            after: ready + ["getAuthentication"],
            "giveUp 1",
            ["status(N005)", "store choose none", cancelled],
            "ready"
        ),
        EngineRow(
            "2, a sign-in, before it has begun",
            after: ["setRequestor R1", "getAuthentication"],
            "giveUp 1",
            [cancelled],
            "configuring"
        ),
        EngineRow(
            "3, an authorization, before it has begun",
            after: ["setRequestor R1", "getAuthorization a"],
            "giveUp 1",
            [dropped],
            "configuring"
        ),
        EngineRow(
            "4, an authorization that began a sign-in",
            after: ready + ["getAuthorization a"],
            "giveUp 1",
            ["status(N005)", "store choose none", cancelled, dropped],
            "ready"
        ),
        EngineRow(
            "5, an authorization that joined a sign-in",
            after: ready + ["getAuthorization a", "getAuthorization b"],
            "giveUp 1",
            [dropped],
            "ready, picker"
        ),
        EngineRow(
            "6, a sign-in that another call joined",
            after: ready + ["getAuthentication", "getAuthorization b"],
            "giveUp 2",
            [],
            "ready, picker"
        ),
        EngineRow(
            "7, an authorization of a signed-in user, who stays signed in",
            after: signedIn + ["getAuthorization a"],
            "giveUp 1",
            [],
            "ready, signed in with M1"
        ),
        EngineRow(
            "8, a call that has already ended",
            after: signedIn + ["getAuthentication"],
            "giveUp 1",
            [],
            "ready, signed in with M1"
        ),
    ]

    @Test("An abandoned call ends its own sign-in and nothing else", arguments: givenUpRows)
    func givenUp(_ row: EngineRow) throws { try row.check() }
}
