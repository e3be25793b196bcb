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
            "1, nobody was signed in before",
            after: ready,
            "getAuthentication",
            ["providerDialog(M1 M2)"],
            "ready, picker"
        ),
        EngineRow(
            "2, somebody is",
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
            "4, its page",
            after: ready + ["getAuthentication", "setSelectedProvider M1"],
            "start page",
            ["navigation(plain)"],
            "ready, page"
        ),
        EngineRow("5, the page has ended", after: onPage, EngineRow.redirect, ["ask profile"], "ready, fetching"),
        EngineRow(
            "6, in the app's own scheme",
            after: onPage,
            "handleExternalURL adbe.x://adobe.com?state=s",
            ["ask profile"],
            "ready, fetching"
        ),
        EngineRow("7, a second time", after: onPage + [EngineRow.redirect], EngineRow.redirect, [], "ready, fetching"),
        EngineRow(
            "8, with a wrong state",
            after: onPage,
            "handleExternalURL adobepass://ios.app?state=x",
            [],
            "ready, page"
        ),
        EngineRow("9, without one", after: onPage, "handleExternalURL adobepass://ios.app", [], "ready, page"),
        EngineRow(
            "10, a foreign address",
            after: onPage,
            "handleExternalURL adobepass://ios.app.evil?state=s",
            [],
            "ready, page"
        ),
        EngineRow("11, with nothing under way", after: ready, EngineRow.redirect, [], "ready"),
        EngineRow(
            "12, the token comes",
            after: onPage + [EngineRow.redirect],
            "profile found",
            ["store signIn M1", "authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "13, no token comes",
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
            "16, by degradation",
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
            "18, but after a failure it does",
            after: EngineRow.signedIn + ["the token expires", "getAuthentication", "start fails network"],
            "getAuthentication",
            ["providerDialog(M1 M2)"],
            "ready, picker"
        ),
        EngineRow(
            "19, and after a cancel",
            after: EngineRow.signedIn + ["the token expires", "getAuthentication", "setSelectedProvider nil"],
            "getAuthentication",
            ["providerDialog(M1 M2)"],
            "ready, picker"
        ),
        EngineRow(
            "20, and after a log-out",
            after: EngineRow.signedIn + ["logout", "logOutURL none"],
            "getAuthentication",
            ["providerDialog(M1 M2)"],
            "ready, picker"
        ),
        EngineRow(
            "21, one that is chosen before needs none",
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
            "23, on the page",
            after: onPage,
            "setSelectedProvider nil",
            ["store choose none", cancelled],
            "ready"
        ),
        EngineRow(
            "24, while the token is fetched",
            after: onPage + [EngineRow.redirect],
            "setSelectedProvider nil",
            ["cancel", "store choose none", cancelled],
            "ready"
        ),
        EngineRow(
            "25, of a session, which counts no more",
            after: EngineRow.signedIn,
            "setSelectedProvider nil",
            ["store choose none", cancelled],
            "ready"
        ),
        EngineRow(
            "26, a second sign-in at a time",
            after: onPage,
            "getAuthentication",
            ["authentication(0, Multiple Authentication Requests Error)"],
            "ready, page"
        ),
        EngineRow(
            "27, forced",
            after: EngineRow.signedIn,
            "getAuthentication forced",
            ["ask start M1"],
            "ready, starting, signed in with M1"
        ),
        EngineRow(
            "28, a forced one that fails loses nothing",
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
            "30, which needs no page",
            temporary,
            after: ready + ["setSelectedProvider M1"],
            "start direct",
            ["store signIn M1", "status(N011)", "authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "31, and has expired",
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
            "33, a TV provider that is none of the programmer's",
            after: ready + ["getAuthentication"],
            "setSelectedProvider M9",
            ["authentication(0, Provider not Available Error)"],
            "ready"
        ),
        EngineRow(
            "34, a filter for a platform's picker",
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
            "37, checkAuthentication asks nobody",
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

    @Test("getAuthentication: what each event comes to", arguments: rows)
    func transition(_ row: EngineRow) throws { try row.check() }

    /// The session in the store is another app's, by which the server does not know this one.
    static let ofOtherApp = EngineRow.signedIn + ["checkAuthorization a", "authorization fails signedInByOtherApp"]

    static let otherAppRows: [EngineRow] = [
        EngineRow(
            "1, another TV provider: nothing is stored before the sign-in is done",
            after: ofOtherApp + ["setSelectedProvider M2"],
            "getAuthentication",
            ["ask start M2"],
            "ready, starting, signed in with M1"
        ),
        EngineRow(
            "2, which is only chosen",
            after: ofOtherApp,
            "setSelectedProvider M2",
            [],
            "ready, signed in with M1"
        ),
        EngineRow(
            "3, in the picker",
            after: ofOtherApp + ["getAuthentication", "setSelectedProvider nil", "getAuthentication"],
            "setSelectedProvider M2",
            ["ask start M2"],
            "ready, starting, signed in with M1"
        ),
        EngineRow(
            "4, a failure",
            after: ofOtherApp + ["setSelectedProvider M2", "getAuthentication"],
            "start fails network",
            ["status(N500)", failed],
            "ready, signed in with M1"
        ),
        EngineRow(
            "5, a cancel",
            after: ofOtherApp + ["setSelectedProvider M2", "getAuthentication", "start page"],
            "setSelectedProvider nil",
            [cancelled],
            "ready, signed in with M1"
        ),
        EngineRow(
            "6, after which the next one begins with the picker",
            after: ofOtherApp + ["getAuthentication", "setSelectedProvider nil"],
            "getAuthentication",
            ["providerDialog(M1 M2)"],
            "ready, picker, signed in with M1"
        ),
        EngineRow(
            "7, as after a failure",
            after: ofOtherApp + ["getAuthentication", "start fails network"],
            "getAuthentication",
            ["providerDialog(M1 M2)"],
            "ready, picker, signed in with M1"
        ),
        EngineRow(
            "8, and one that is done takes its place",
            after: ofOtherApp + ["setSelectedProvider M2", "getAuthentication", "start page", EngineRow.redirect],
            "profile found",
            ["store signIn M2", "authentication(1)"],
            "ready, signed in with M2"
        ),
    ]

    @Test("A sign-in while another app is signed in signs that one out by its success alone", arguments: otherAppRows)
    func otherApp(_ row: EngineRow) throws { try row.check() }
}
