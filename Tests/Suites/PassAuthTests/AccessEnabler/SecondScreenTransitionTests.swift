import Testing

@testable import PassAuth

struct SecondScreenTransitionTests {
    static let onCode = EngineRow.ready + ["getAuthentication", "setSelectedProvider M1", "start code"]

    static let rows: [EngineRow] = [
        EngineRow(
            "1, the code arrives, and the server is polled immediately",
            isSecondScreen: true,
            after: EngineRow.ready + ["getAuthentication", "setSelectedProvider M1"],
            "start code",
            ["status(REGCODE)", "ask profile"],
            "ready, code"
        ),
        EngineRow(
            "2, the user has not finished",
            isSecondScreen: true,
            after: onCode,
            "profile none",
            ["wait 5 s"],
            "ready, code"
        ),
        EngineRow(
            "3, polled again",
            isSecondScreen: true,
            after: onCode + ["profile none"],
            "time passes",
            ["ask profile"],
            "ready, code"
        ),
        EngineRow(
            "4, throttled: the pause doubles",
            isSecondScreen: true,
            after: onCode,
            "profile fails throttled",
            ["wait 10 s"],
            "ready, code"
        ),
        EngineRow(
            "5, the user has finished",
            isSecondScreen: true,
            after: onCode,
            "profile found",
            ["store signIn M1", "authentication(1)"],
            "ready, signed in with M1"
        ),
        EngineRow(
            "6, the code has expired",
            isSecondScreen: true,
            after: onCode + ["profile none", "the code expires"],
            "time passes",
            ["status(REG500)", "store choose M1", SignInTransitionTests.failed],
            "ready"
        ),
        EngineRow(
            "7, the server reports that the code has expired",
            isSecondScreen: true,
            after: onCode,
            "profile fails codeExpired",
            ["status(REG500)", "store choose M1", SignInTransitionTests.failed],
            "ready"
        ),
        EngineRow(
            "8, cancelled",
            isSecondScreen: true,
            after: onCode + ["profile none"],
            "setSelectedProvider nil",
            ["cancel", "store choose none", SignInTransitionTests.cancelled],
            "ready"
        ),
        EngineRow(
            "9, a new code",
            isSecondScreen: true,
            after: onCode + ["profile none"],
            "setSelectedProvider M2",
            ["cancel", "store choose M2", "ask start M2"],
            "ready, starting"
        ),
        EngineRow(
            "10, the server provides no code",
            isSecondScreen: true,
            after: EngineRow.ready + ["getAuthentication", "setSelectedProvider M1"],
            "start fails server",
            ["status(REG500)", "store choose M1", SignInTransitionTests.failed],
            "ready"
        ),
        EngineRow(
            "11, a redirect does not end it",
            isSecondScreen: true,
            after: onCode,
            EngineRow.redirect,
            [],
            "ready, code"
        ),
        EngineRow(
            "12, throttled: the server's pause counts",
            isSecondScreen: true,
            after: onCode,
            "profile fails throttled 60",
            ["wait 60 s"],
            "ready, code"
        ),
        EngineRow(
            "13, no pause is longer than a minute",
            isSecondScreen: true,
            after: onCode,
            "profile fails throttled 86400",
            ["wait 60 s"],
            "ready, code"
        ),
    ]

    @Test("The second screen: effects of each event", arguments: rows)
    func transition(_ row: EngineRow) throws { try row.check() }
}
