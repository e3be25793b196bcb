import Testing

/// One row of the single sign-on matrix: the apps, and the user's steps with their results.
struct MatrixRow: CustomTestStringConvertible, Sendable {
    /// A step of the user in one app, and its result. The step "open" restarts the app's process.
    struct Step: Sendable {
        let app: String
        let command: String
        let answer: String

        init(_ app: String, _ command: String, _ answer: String) {
            (self.app, self.command, self.answer) = (app, command, answer)
        }
    }

    /// How an app is started. The team is nil for an app that shares nothing.
    struct App: Sendable {
        var appID: String
        var team: String?
        var requestor: String
        var generation: String
        var policy: String
        var device: String
    }

    let testDescription: String
    let apps: [String: App]
    let steps: [Step]

    init(_ name: String, _ apps: [String: App], _ steps: [Step]) {
        (testDescription, self.apps, self.steps) = (name, apps, steps)
    }
}

extension MatrixRow.App {
    private init(_ appID: String, _ team: String?, _ requestor: String, _ built: (String, String, String)) {
        self.init(
            appID: appID,
            team: team,
            requestor: requestor,
            generation: built.0,
            policy: built.1,
            device: built.2
        )
    }

    /// Two apps built with the same SDK, with equal or different bundle ID prefixes, of one team or two.
    static func pair(
        _ built: (generation: String, policy: String, device: String),
        sameTeam: Bool = true,
        samePrefix: Bool = true,
        requestors: (String, String) = ("R1:M1", "R2:M1,M2")
    ) -> [String: MatrixRow.App] {
        let other = samePrefix ? "com.example.two" : "org.sample.two"
        return [
            "A": .init("com.example.one", "TEAM1", requestors.0, built),
            "B": .init(other, sameTeam ? "TEAM1" : "TEAM2", requestors.1, built),
        ]
    }
}

extension MatrixRow {
    private typealias Built = (generation: String, policy: String, device: String)

    private static let slot: Built = ("singleSlot", "off", "machine")
    private static let files: Built = ("perProgrammer", "off", "machine")
    private static let nested: Built = ("buckets", "off", "machine")
    private static let sanitizing: Built = ("buckets", "sanitize", "advertising")
    private static let erasing: Built = ("buckets", "erase", "vendor")
    private static let ignoring: Built = ("buckets", "ignore", "vendor")
    private static let newest: Built = ("separateBuckets", "ignore", "vendor")
    private static let television: Built = ("privateBuckets", "ignore", "vendor")

    /// Both have the session of the app that signed in first.
    private static let shared = [
        Step("A", "open", "out"), Step("A", "sign-in ann M1", "in ann M1"), Step("B", "open", "in ann M1"),
        Step("A", "open", "in ann M1"),
    ]

    /// Each app signs in once and stays signed in.
    private static let separate = [
        Step("A", "open", "out"), Step("A", "sign-in ann M1", "in ann M1"), Step("B", "open", "out"),
        Step("B", "sign-in bob M1", "in bob M1"), Step("A", "open", "in ann M1"), Step("B", "open", "in bob M1"),
    ]

    /// Before iOS 7 one store was shared by all teams; on Linux, by a group that both declare.
    static let beforeTeams = [
        MatrixRow(
            "iOS 6, SDK 1.6, not per requestor: one slot; a sign-in with another MVPD replaces it",
            App.pair(slot),
            shared + [
                Step("B", "sign-in bob M2", "in bob M2"), Step("A", "open", "out"), Step("B", "open", "in bob M2"),
            ]
        ),
        MatrixRow("iOS 6, SDK 1.6, per requestor: private files; each app signs in once", App.pair(files), separate),
        MatrixRow(
            "iOS 6, SDK 1.7: single sign-on; a sign-in with another MVPD keeps the session",
            App.pair(nested),
            shared + [
                Step("B", "sign-in bob M2", "in bob M2"), Step("A", "open", "in ann M1"),
                Step("B", "open", "in bob M2"),
            ]
        ),
        MatrixRow(
            "iOS 6, SDK 1.7, MVPD per requestor: the passive step is offered",
            App.pair(nested, requestors: ("R1:M1*", "R2:M1*")),
            [
                Step("A", "open", "out"), Step("A", "sign-in ann M1", "in ann M1"), Step("B", "open", "out passive M1"),
                Step("B", "sign-in ann M1", "in ann M1"), Step("A", "open", "in ann M1"),
            ]
        ),
    ]

    static let earlyTeams = [
        MatrixRow(
            "iOS 7, SDK 1.7, same team: the store is shared, and the device is not checked",
            App.pair(nested, samePrefix: false),
            shared
        ),
        MatrixRow("iOS 7, SDK 1.7, other team: separate", App.pair(nested, sameTeam: false), separate),
        MatrixRow(
            "iOS 6 to 7, SDK 1.7.5: the sanitizer clears the old device's token",
            [
                "A": App.pair(nested)["A"], "A updated": App.pair(sanitizing)["A"],
            ].compactMapValues { $0 },
            [
                Step("A", "open", "out"), Step("A", "sign-in ann M1", "in ann M1"),
                Step("A updated", "open", "out foreign"), Step("A updated", "sign-in ann M1", "in ann M1"),
                Step("A updated", "open", "in ann M1"),
            ]
        ),
        MatrixRow(
            "iOS 7, SDK 1.7.5, same team: single sign-on across prefixes, until the advertising id is reset",
            App.pair(sanitizing, samePrefix: false),
            shared + [
                Step("A", "reset-advertising-id", "done"), Step("B", "open", "out foreign"), Step("A", "open", "out"),
            ]
        ),
        MatrixRow("iOS 7, SDK 1.8, same team and prefix: single sign-on", App.pair(erasing), shared),
        MatrixRow(
            "iOS 7, SDK 1.8, same team, other prefix: each app erases the other's token, repeatedly",
            App.pair(erasing, samePrefix: false, requestors: ("R1:M1", "R1:M1")),
            [
                Step("A", "open", "out"), Step("A", "sign-in ann M1", "in ann M1"), Step("B", "open", "out foreign"),
                Step("B", "sign-in ann M1", "in ann M1"), Step("A", "open", "out foreign"), Step("B", "open", "out"),
                Step("A", "sign-in ann M1", "in ann M1"), Step("B", "open", "out foreign"),
            ]
        ),
        MatrixRow(
            "iOS 7, SDK 1.8, other team: independent, and both persist",
            App.pair(erasing, sameTeam: false, samePrefix: false),
            separate
        ),
    ]

    static let today = [
        MatrixRow("iOS 7, SDK 1.10, same team and prefix: single sign-on", App.pair(ignoring), shared),
        MatrixRow(
            "iOS 7, SDK 1.10, same team, other prefix: the token is ignored, and both stay signed in",
            App.pair(ignoring, samePrefix: false, requestors: ("R1:M1", "R1:M1")),
            separate
        ),
        MatrixRow(
            "iOS 7, SDK 1.10, other team, same prefix: both stay signed in",
            App.pair(ignoring, sameTeam: false),
            separate
        ),
        MatrixRow(
            "iOS 7, SDK 1.10, other team and prefix: both stay signed in",
            App.pair(ignoring, sameTeam: false, samePrefix: false),
            separate
        ),
        MatrixRow("iOS 10, SDK 2 and 3, same team and prefix: single sign-on", App.pair(newest), shared),
        MatrixRow(
            "SDK 3.7.0 and an earlier one: no single sign-on until both have 3.7.0; then the token moves along",
            [
                "A": App.pair(ignoring)["A"], "A updated": App.pair(newest)["A"], "B": App.pair(newest)["B"],
            ].compactMapValues { $0 },
            [
                Step("B", "open", "out"), Step("A", "open", "out"), Step("A", "sign-in ann M1", "in ann M1"),
                Step("B", "open", "out"), Step("A updated", "open", "in ann M1 imported"),
                Step("B", "open", "in ann M1"),
                Step("A updated", "log-out", "done"), Step("B", "open", "out"), Step("A", "open", "in ann M1"),
                Step("A updated", "open", "out"),
            ]
        ),
        MatrixRow("tvOS: persistent for each app, never shared", App.pair(television), separate),
        MatrixRow(
            "no team, as in a simulator: the app shares nothing",
            App.pair(newest).mapValues { app in
                var app = app
                app.team = nil
                return app
            },
            separate
        ),
    ]
}
