import Testing

@testable import PassAuth

struct EntitlementTransitionTests {
    static let ready = EngineRow.ready
    static let signedIn = EngineRow.signedIn
    static let degraded: MVPD = {
        var mvpd = MVPD("M1")
        mvpd.isDegraded = true
        return mvpd
    }()
    static let out = "authentication(0, User Not Authenticated Error)"
    static let refused = "tokenRequestFailed(User not Authorized Error)"

    static let authorizationRows: [EngineRow] = [
        EngineRow(
            "1, no user is signed in",
            after: ready,
            "checkAuthorization a",
            [out, "tokenRequestFailed(User Not Authenticated Error)"],
            "ready"
        ),
        EngineRow(
            "2, no user is signed in: getAuthorization offers a sign-in",
            after: ready,
            "getAuthorization a",
            ["providerDialog(M1 M2)"],
            "ready, picker"
        ),
        EngineRow(
            "3, then the user signs in",
            after: ready + ["getAuthorization a", "setSelectedProvider M1", "start page", EngineRow.redirect],
            "profile found",
            ["store signIn M1", "authentication(1)", "ask authorization a"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "4, then the user cancels",
            after: ready + ["getAuthorization a"],
            "setSelectedProvider nil",
            [
                "status(N005)", "store choose none", "authentication(0, Provider not Selected Error)",
                "tokenRequestFailed(Provider not Selected Error)",
            ],
            "ready"
        ),
        EngineRow(
            "5, the second authorization joins the sign-in",
            after: EngineRow.onPage,
            "getAuthorization a",
            [],
            "ready, page"
        ),
        EngineRow(
            "6, a user is signed in",
            after: signedIn,
            "checkAuthorization a",
            ["ask authorization a"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "7, permitted",
            after: signedIn + ["checkAuthorization a"],
            "authorization granted",
            ["store keep", "ask mediaToken"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "8, a media token is requested",
            after: signedIn + ["checkAuthorization a"],
            "authorization withToken",
            ["store keep", "token"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "9, the media token arrives",
            after: signedIn + ["checkAuthorization a", "authorization granted"],
            "mediaToken new",
            ["token"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "10, requested again: the permission is cached, the media token is not",
            after: signedIn + ["checkAuthorization a", "authorization withToken"],
            "checkAuthorization a",
            ["ask mediaToken"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "11, the response is for another resource",
            after: signedIn + ["checkAuthorization b"],
            "authorization granted",
            ["status(Z500)", "tokenRequestFailed(Internal Authorization Error)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "12, refused",
            after: signedIn + ["checkAuthorization a"],
            "authorization fails denied",
            ["status(Z100)", refused],
            "ready, signed in with M1"
        ),
        EngineRow(
            "13, denied repeatedly",
            after: signedIn + ["checkAuthorization a"],
            "authorization fails deniedRepeatedly",
            ["status(Z110)", refused],
            "ready, signed in with M1"
        ),
        EngineRow(
            "14, by degradation",
            after: signedIn + ["checkAuthorization a"],
            "authorization fails deniedByDegradation",
            ["status(Z169)", refused],
            "ready, signed in with M1"
        ),
        EngineRow(
            "15, too many requests",
            after: signedIn + ["checkAuthorization a"],
            "authorization fails throttled",
            ["status(Z100)", refused],
            "ready, signed in with M1"
        ),
        EngineRow(
            "16, no connection",
            after: signedIn + ["checkAuthorization a"],
            "authorization fails network",
            ["status(Z120)", "tokenRequestFailed(Generic Authorization Error)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "17, the device does not match",
            after: signedIn + ["checkAuthorization a"],
            "authorization fails deviceMismatch",
            ["status(SEC412)", "store discard device", out, "tokenRequestFailed(User Not Authenticated Error)"],
            "ready"
        ),
        EngineRow(
            "18, the session has ended at the server",
            after: signedIn + ["checkAuthorization a"],
            "authorization fails notAuthenticated",
            ["status(N130)", "store discard", out, "tokenRequestFailed(User Not Authenticated Error)"],
            "ready"
        ),
        EngineRow(
            "19, another app logs out meanwhile",
            after: signedIn + ["checkAuthorization a"],
            "another app logs out",
            ["cancel", "tokenRequestFailed(User Not Authenticated Error)", out],
            "ready"
        ),
        EngineRow(
            "20, the permission cannot be stored",
            after: signedIn + ["checkAuthorization a", "store fails next"],
            "authorization withToken",
            ["store keep", "status(500)", "token"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "21, the sign-in belongs to another app: its token stays",
            after: signedIn + ["checkAuthorization a"],
            "authorization fails signedInByOtherApp",
            ["status(N130)", out, "tokenRequestFailed(User Not Authenticated Error)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "22, that session does not count as a sign-in here",
            after: signedIn + ["checkAuthorization a", "authorization fails signedInByOtherApp"],
            "checkAuthorization a",
            [out, "tokenRequestFailed(User Not Authenticated Error)"],
            "ready, signed in with M1"
        ),
    ]

    @Test("checkAuthorization and getAuthorization: effects of each event", arguments: authorizationRows)
    func authorize(_ row: EngineRow) throws { try row.check() }

    static let preauthorizationRows: [EngineRow] = [
        EngineRow(
            "1, no user is signed in",
            after: ready,
            "checkPreauthorizedResources a b",
            ["preauthorized(none)"],
            "ready"
        ),
        EngineRow(
            "2, no user is signed in, newer call",
            after: ready,
            "preauthorize a b",
            ["onFailure authentication_session_missing"],
            "ready"
        ),
        EngineRow(
            "3, the server is called",
            after: signedIn,
            "checkPreauthorizedResources a b",
            ["ask decisions"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "4, the decisions are cached",
            after: signedIn + ["checkPreauthorizedResources a b"],
            "decisions b",
            ["store keep answer", "preauthorized(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "5, the same resources in another order",
            after: signedIn + ["checkPreauthorizedResources a b", "decisions b"],
            "preauthorize b a",
            ["onResponse b"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "6, another question",
            after: signedIn + ["checkPreauthorizedResources a b", "decisions b"],
            "preauthorize b",
            ["ask decisions"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "7, too many resources",
            after: signedIn,
            "checkPreauthorizedResources a b c d e f",
            ["status(P100)", "preauthorized(none)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "8, too many requests",
            after: signedIn + ["checkPreauthorizedResources a"],
            "decisions fails throttled",
            ["status(P100)", "preauthorized(none)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "9, degradation permits every resource",
            degraded,
            after: signedIn,
            "checkPreauthorizedResources a b",
            ["preauthorized(2)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "10, another app logs out meanwhile",
            after: signedIn + ["preauthorize a"],
            "another app logs out",
            ["cancel", "onFailure authentication_session_expired", out],
            "ready"
        ),
    ]

    @Test("Preauthorization: effects of each event", arguments: preauthorizationRows)
    func preauthorize(_ row: EngineRow) throws { try row.check() }

    static let metadataRows: [EngineRow] = [
        EngineRow("1, no user is signed in", after: ready, "getMetadata zip", ["metadata(none)"], "ready"),
        EngineRow(
            "2, the server is called",
            after: signedIn,
            "getMetadata zip",
            ["ask metadata"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "3, the metadata is cached",
            after: signedIn + ["getMetadata zip"],
            "metadata found",
            ["store keep answer", "metadata(some)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "4, later calls use the cached metadata",
            after: signedIn + ["getMetadata zip", "metadata found"],
            "getMetadata zip",
            ["metadata(some)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "5, too many requests",
            after: signedIn + ["getMetadata zip"],
            "metadata fails throttled",
            ["metadata(none)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "6, the expiry is read from the token",
            after: signedIn,
            "getMetadata expiry",
            ["metadata(some)"],
            "ready, signed in with M1"
        ),
    ]

    @Test("getMetadata: effects of each event", arguments: metadataRows)
    func metadata(_ row: EngineRow) throws { try row.check() }

    static let logOutRows: [EngineRow] = [
        EngineRow(
            "1, the store is wiped first, then the server is called",
            after: signedIn,
            "logout",
            ["store wipe", "ask logOutURL"],
            "ready, logging out"
        ),
        EngineRow(
            "2, the log-out page",
            after: signedIn + ["logout"],
            "logOutURL page",
            ["navigation(plain)", "wait 30 s"],
            "ready, log-out page"
        ),
        EngineRow(
            "3, the page has ended",
            after: signedIn + ["logout", "logOutURL page"],
            "handleExternalURL adobepass://ios.app",
            ["cancel", out, "loggedOut"],
            "ready"
        ),
        EngineRow(
            "4, the page ends a second time",
            after: signedIn + ["logout", "logOutURL page", "handleExternalURL adobepass://ios.app"],
            "handleExternalURL adobepass://ios.app",
            [],
            "ready"
        ),
        EngineRow(
            "5, the page never ends",
            after: signedIn + ["logout", "logOutURL page"],
            "time passes",
            [out, "loggedOut"],
            "ready"
        ),
        EngineRow(
            "6, the server does not respond",
            after: signedIn + ["logout"],
            "logOutURL fails timedOut",
            ["status(LOGOUT500)", out, "loggedOut"],
            "ready"
        ),
        EngineRow("7, no log-out page", after: signedIn + ["logout"], "logOutURL none", [out, "loggedOut"], "ready"),
        EngineRow(
            "8, no page is shown on a second screen",
            isSecondScreen: true,
            after: signedIn + ["logout"],
            "logOutURL page",
            [out, "loggedOut"],
            "ready"
        ),
        EngineRow("9, no user is signed in", after: ready, "logout", ["store wipe", out, "loggedOut"], "ready"),
        EngineRow(
            "10, the store is locked and the user stays signed in",
            after: signedIn + ["store fails next"],
            "logout",
            ["store wipe", "status(500)", "authentication(0, Internal Authentication Error)"],
            "ready, signed in with M1"
        ),
        EngineRow("11, twice", after: signedIn + ["logout"], "logout", [], "ready, logging out"),
        EngineRow(
            "12, in the middle of a sign-in",
            after: EngineRow.onPage,
            "logout",
            ["store wipe", out, "loggedOut"],
            "ready"
        ),
        EngineRow(
            "13, in the middle of an authorization",
            after: signedIn + ["checkAuthorization a"],
            "logout",
            ["cancel", "tokenRequestFailed(User Not Authenticated Error)", "store wipe", "ask logOutURL"],
            "ready, logging out"
        ),
        EngineRow(
            "14, a sign-in before the log-out page has ended",
            after: signedIn + ["logout", "logOutURL page"],
            "getAuthentication",
            ["cancel", out, "loggedOut", "providerDialog(M1 M2)"],
            "ready, picker"
        ),
        EngineRow(
            "15, without a configuration",
            after: ["setRequestor R1", "registration fails notRegistered"],
            "logout",
            ["store wipe", out, "loggedOut"],
            "failed"
        ),
    ]

    @Test("logout: effects of each event", arguments: logOutRows)
    func logOut(_ row: EngineRow) throws { try row.check() }
}
