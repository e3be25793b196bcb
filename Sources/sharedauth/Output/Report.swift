internal import SharedAuth

/// The answer of most verbs: whose slot it is about, and who is signed in there.
struct Report {
    private var json: [String: JSONValue]
    private var rows: [(name: String, value: String)]

    /// A user in a slot; a nil group is the app's own. Without a user, `absence` says what that means.
    init(of auth: Auth, group: String?, user: User?, absence: String = "nobody") {
        let appID = auth.app?.identity.appID
        json = ["appID": JSONValue(appID), "accessGroup": JSONValue(group), "user": user.json]
        rows = [
            ("app id", appID ?? "unknown"), ("access group", group ?? "none (the app's own slot)"),
            ("user", user?.line ?? absence),
        ]
    }

    /// The current user in the slot in use.
    init(of auth: Auth) {
        let isKnown = auth.state.failure(in: nil) == nil
        self.init(
            of: auth,
            group: auth.userAccessGroup,
            user: auth.currentUser,
            absence: isKnown ? "nobody" : "not known"
        )
    }

    /// Adds what is not about a user.
    mutating func add(_ name: String, _ value: JSONValue, _ row: String, _ text: String) {
        json[name] = value
        rows.append((row, text))
    }

    /// Prints it.
    func print(asJSON: Bool) throws {
        if asJSON { return StandardOutput.write(line: try JSONValue.object(json).text) }
        let width = rows.map(\.name.count).max() ?? 0
        for row in rows {
            let padding = String(repeating: " ", count: width - row.name.count + 2)
            StandardOutput.write(line: row.name + padding + row.value)
        }
    }
}
