internal import CommandLineSupport
internal import SharedAuth

/// The answer of most verbs: whose slot it is about, and who is signed in there.
struct Report {
    private var table = Table()

    /// A user in a slot; a nil group is the app's own. Without a user, `absence` says what that means.
    init(of auth: Auth, group: String?, user: User?, absence: String = "nobody") {
        let appID = auth.app?.identity.appID
        table.add("appID", JSONValue(appID), "app id", appID ?? "unknown")
        table.add("accessGroup", JSONValue(group), "access group", group ?? "none (the app's own slot)")
        table.add("user", user.json, "user", user?.line ?? absence)
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
        table.add(name, value, row, text)
    }

    /// Prints it.
    func print(asJSON: Bool) throws { try table.print(asJSON: asJSON) }
}
