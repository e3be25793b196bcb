import Testing

@testable import PassAuth

struct SignInTransitionTests {
    static let ready = EngineRow.ready
    static let onPage = EngineRow.onPage
    static let temporary: MVPD = {
        var mvpd = MVPD("M1")
        mvpd.isTemporary = true
        return mvpd
    }()
    static let platform: MVPD = {
        var mvpd = MVPD("M1")
        mvpd.enablePlatformServices = true
        return mvpd
    }()
    static let failed = "authentication(0, Generic Authentication Error)"
    static let cancelled = "authentication(0, Provider not Selected Error)"

    static let rows: [EngineRow] = [
        EngineRow(
            "1, no user was signed in before",
            after: ready,
            "getAuthentication",
            ["providerDialog(M1 M2)"],
            "ready, picker"
        ),
        EngineRow(
            "2, a user is signed in",
            after: EngineRow.signedIn,
            "getAuthentication",
            ["authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "3, a TV provider is chosen",
            after: ready + ["getAuthentication"],
            "setSelectedProvider M1",
            ["store choose M1", "ask start M1"],
            "ready, starting"
        ),
        EngineRow(
            "4, the TV provider's page",
            after: ready + ["getAuthentication", "setSelectedProvider M1"],
            "start page",
            ["navigation(plain)"],
            "ready, page"
        ),
        EngineRow("5, the page has ended", after: onPage, EngineRow.redirect, ["ask profile"], "ready, fetching"),
        EngineRow(
            "6, redirect to the app's custom scheme",
            after: onPage,
            "handleExternalURL adbe.x://adobe.com?state=s",
            ["ask profile"],
            "ready, fetching"
        ),
        EngineRow(
            "7, a second redirect",
            after: onPage + [EngineRow.redirect],
            EngineRow.redirect,
            [],
            "ready, fetching"
        ),
        EngineRow(
            "8, redirect with a wrong state",
            after: onPage,
            "handleExternalURL adobepass://ios.app?state=x",
            [],
            "ready, page"
        ),
        EngineRow("9, without a state", after: onPage, "handleExternalURL adobepass://ios.app", [], "ready, page"),
        EngineRow(
            "10, redirect to a foreign address",
            after: onPage,
            "handleExternalURL adobepass://ios.app.evil?state=s",
            [],
            "ready, page"
        ),
        EngineRow("11, redirect with no sign-in in progress", after: ready, EngineRow.redirect, [], "ready"),
        EngineRow(
            "12, the token arrives",
            after: onPage + [EngineRow.redirect],
            "profile found",
            ["store signIn M1", "authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "13, no token arrives",
            after: onPage + [EngineRow.redirect],
            "profile none",
            ["status(N130)", "store choose M1", failed],
            "ready"
        ),
        EngineRow(
            "14, the server fails",
            after: onPage + [EngineRow.redirect],
            "profile fails server",
            ["status(N500)", "store choose M1", failed],
            "ready"
        ),
        EngineRow(
            "15, the store is locked",
            after: onPage + [EngineRow.redirect, "store fails next"],
            "profile found",
            ["store signIn M1", "status(500)", "store choose M1", "authentication(0, Internal Authentication Error)"],
            "ready"
        ),
        EngineRow(
            "16, signed in by degradation",
            after: onPage + [EngineRow.redirect],
            "profile degraded",
            ["store signIn M1", "status(N010)", "authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "17, the last TV provider needs no picker",
            after: EngineRow.signedIn + ["the token expires"],
            "getAuthentication",
            ["ask start M1"],
            "ready, starting"
        ),
        EngineRow(
            "18, after a failure it needs the picker",
            after: EngineRow.signedIn + ["the token expires", "getAuthentication", "start fails network"],
            "getAuthentication",
            ["providerDialog(M1 M2)"],
            "ready, picker"
        ),
        EngineRow(
            "19, after a cancel it needs the picker",
            after: EngineRow.signedIn + ["the token expires", "getAuthentication", "setSelectedProvider nil"],
            "getAuthentication",
            ["providerDialog(M1 M2)"],
            "ready, picker"
        ),
        EngineRow(
            "20, after a log-out it needs the picker",
            after: EngineRow.signedIn + ["logout", "logOutURL none"],
            "getAuthentication",
            ["providerDialog(M1 M2)"],
            "ready, picker"
        ),
        EngineRow(
            "21, a TV provider chosen beforehand needs no picker",
            after: ready + ["setSelectedProvider M2"],
            "getAuthentication",
            ["ask start M2"],
            "ready, starting"
        ),
        EngineRow(
            "22, cancelled in the picker",
            after: ready + ["getAuthentication"],
            "setSelectedProvider nil",
            ["status(N005)", "store choose none", cancelled],
            "ready"
        ),
        EngineRow(
            "23, cancelled on the page",
            after: onPage,
            "setSelectedProvider nil",
            ["store choose none", cancelled],
            "ready"
        ),
        EngineRow(
            "24, cancelled while the token is fetched",
            after: onPage + [EngineRow.redirect],
            "setSelectedProvider nil",
            ["cancel", "store choose none", cancelled],
            "ready"
        ),
        EngineRow(
            "25, cancelled while signed in: the session no longer counts",
            after: EngineRow.signedIn,
            "setSelectedProvider nil",
            ["store choose none", cancelled],
            "ready"
        ),
        EngineRow(
            "26, a second sign-in at the same time",
            after: onPage,
            "getAuthentication",
            ["authentication(0, Multiple Authentication Requests Error)"],
            "ready, page"
        ),
        EngineRow(
            "27, a forced sign-in",
            after: EngineRow.signedIn,
            "getAuthentication forced",
            ["ask start M1"],
            "ready, starting, signed in with M1"
        ),
        EngineRow(
            "28, a forced sign-in that fails loses nothing",
            after: EngineRow.signedIn + ["getAuthentication forced"],
            "start fails network",
            ["status(N500)", "store choose M1", failed],
            "ready, signed in with M1"
        ),
        EngineRow(
            "29, a temporary pass",
            temporary,
            after: ready,
            "setSelectedProvider M1",
            ["store choose M1", "ask start M1"],
            "ready, starting"
        ),
        EngineRow(
            "30, a temporary pass needs no page",
            temporary,
            after: ready + ["setSelectedProvider M1"],
            "start direct",
            ["store signIn M1", "status(N011)", "authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "31, a temporary pass has expired",
            temporary,
            after: EngineRow.signedIn + ["the token expires"],
            "checkAuthentication",
            ["status(N111)", "authentication(0, User Not Authenticated Error)"],
            "ready"
        ),
        EngineRow(
            "32, a programmer with no TV provider",
            after: ["setRequestor R1", "registration done", "configuration empty"],
            "getAuthentication",
            ["authentication(0, Provider not Available Error)"],
            "ready"
        ),
        EngineRow(
            "33, a TV provider that the programmer does not have",
            after: ready + ["getAuthentication"],
            "setSelectedProvider M9",
            ["authentication(0, Provider not Available Error)"],
            "ready"
        ),
        EngineRow(
            "34, a filter for a platform picker",
            platform,
            after: ready,
            "getAuthentication filtered",
            ["status(VSA404)", "providerDialog(M1 M2)"],
            "ready, picker"
        ),
        EngineRow(
            "35, another app signs in meanwhile",
            after: onPage,
            "another app signs in",
            ["authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "36, another app logs out",
            after: EngineRow.signedIn,
            "another app logs out",
            ["authentication(0, User Not Authenticated Error)"],
            "ready"
        ),
        EngineRow(
            "37, checkAuthentication sends no request",
            after: EngineRow.signedIn,
            "checkAuthentication",
            ["authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "38, getSelectedProvider while signing in",
            after: onPage,
            "getSelectedProvider",
            ["selectedProvider(M1)"],
            "ready, page"
        ),
    ]

    @Test("getAuthentication: effects of each event", arguments: rows)
    func transition(_ row: EngineRow) throws { try row.check() }

    /// The stored session belongs to another app; the server does not recognize this app by it.
    static let ofOtherApp = EngineRow.signedIn + ["checkAuthorization a", "authorization fails signedInByOtherApp"]

    static let otherAppRows: [EngineRow] = [
        EngineRow(
            "1, another TV provider: nothing is stored before the sign-in has succeeded",
            after: ofOtherApp + ["setSelectedProvider M2"],
            "getAuthentication",
            ["ask start M2"],
            "ready, starting, signed in with M1"
        ),
        EngineRow(
            "2, another TV provider is only chosen",
            after: ofOtherApp,
            "setSelectedProvider M2",
            [],
            "ready, signed in with M1"
        ),
        EngineRow(
            "3, another TV provider is chosen in the picker",
            after: ofOtherApp + ["getAuthentication", "setSelectedProvider nil", "getAuthentication"],
            "setSelectedProvider M2",
            ["ask start M2"],
            "ready, starting, signed in with M1"
        ),
        EngineRow(
            "4, the sign-in fails",
            after: ofOtherApp + ["setSelectedProvider M2", "getAuthentication"],
            "start fails network",
            ["status(N500)", failed],
            "ready, signed in with M1"
        ),
        EngineRow(
            "5, the sign-in is cancelled",
            after: ofOtherApp + ["setSelectedProvider M2", "getAuthentication", "start page"],
            "setSelectedProvider nil",
            [cancelled],
            "ready, signed in with M1"
        ),
        EngineRow(
            "6, after a cancel, the next sign-in begins with the picker",
            after: ofOtherApp + ["getAuthentication", "setSelectedProvider nil"],
            "getAuthentication",
            ["providerDialog(M1 M2)"],
            "ready, picker, signed in with M1"
        ),
        EngineRow(
            "7, after a failure, the next sign-in begins with the picker",
            after: ofOtherApp + ["getAuthentication", "start fails network"],
            "getAuthentication",
            ["providerDialog(M1 M2)"],
            "ready, picker, signed in with M1"
        ),
        EngineRow(
            "8, a sign-in that succeeds replaces the session",
            after: ofOtherApp + ["setSelectedProvider M2", "getAuthentication", "start page", EngineRow.redirect],
            "profile found",
            ["store signIn M2", "authentication(1)"],
            "ready, signed in with M2"
        ),
    ]

    @Test("A sign-in signs another app out only when it succeeds", arguments: otherAppRows)
    func otherApp(_ row: EngineRow) throws { try row.check() }
}
