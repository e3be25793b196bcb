import PassAuth

/// One story: who the apps are, how their SDK treats other devices' tokens, and what the person does.
struct Scenario {
    /// Opening an app configures its programmer; signing in gets it a token from the server.
    enum Act {
        case open(String)
        case signIn(String)
    }

    let title: String
    /// App ids, and their teams, by the apps' names.
    let apps: [String: (appID: String, team: String)]
    /// The version of Pass's SDK that the apps work like.
    let sdk: SDKPreset
    let acts: [Act]
}

extension Scenario {
    static let all = [
        Scenario(
            title: "1. One team, one prefix: single sign-on",
            apps: ["A": ("com.example.tv.AppA", "TEAM1"), "B": ("com.example.tv.AppB", "TEAM1")],
            sdk: .sdk1_10,
            acts: [.open("A"), .signIn("A"), .open("B"), .open("A")]
        ),
        Scenario(
            title: "2. One team, two prefixes: a shared store, but two device ids",
            apps: ["A": ("com.example.tv.AppA", "TEAM1"), "B": ("com.example.radio.AppB", "TEAM1")],
            sdk: .sdk1_10,
            acts: [.open("A"), .signIn("A"), .open("B"), .signIn("B"), .open("A"), .open("B")]
        ),
        Scenario(
            title: "3. Two teams: two stores",
            apps: ["A": ("com.example.tv.AppA", "TEAM1"), "B": ("com.example.tv.AppB", "TEAM2")],
            sdk: .sdk1_10,
            acts: [.open("A"), .signIn("A"), .open("B"), .signIn("B"), .open("A"), .open("B")]
        ),
        Scenario(
            title: "4. As 2, but with SDK 1.8, which erases what it finds of other devices: sign-in never lasts",
            apps: ["A": ("com.example.tv.AppA", "TEAM1"), "B": ("com.example.radio.AppB", "TEAM1")],
            sdk: .sdk1_8,
            acts: [.open("A"), .signIn("A"), .open("B"), .signIn("B"), .open("A"), .signIn("A"), .open("B")]
        ),
    ]
}
