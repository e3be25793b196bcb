import Testing

/// One row of the single sign-on matrix: the apps, and what a person does and sees.
struct MatrixRow: CustomTestStringConvertible, Sendable {
    /// What a person does with one of the apps, and what it answers. To open it starts its process anew.
    struct Step: Sendable {
        let app: String
        let command: String
        let answer: String

        init(_ app: String, _ command: String, _ answer: String) {
            (self.app, self.command, self.answer) = (app, command, answer)
        }
    }

    /// How an app is started; the team is nil for one that shares with nobody.
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

    /// Two apps whose bundle ids begin alike or not, of one team or two, built with the same SDK.
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
