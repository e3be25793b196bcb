import PassAuth

/// A story: the apps, their SDK's treatment of other devices' tokens, and the actions of the user.
struct Scenario {
    /// An action: opening an app configures its programmer; signing in obtains a token from the server.
    enum Act {
        case open(String)
        case signIn(String)
    }

    let title: String
    /// The app ids and teams, by the names of the apps.
    let apps: [String: (appID: String, team: String)]
    /// The version of Pass's SDK that the apps imitate.
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
