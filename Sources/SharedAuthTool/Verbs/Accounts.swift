internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Lists the accounts of the slot in use.
struct Accounts: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "accounts",
        abstract: "List the accounts that are signed in to the slot in use; the current one has an asterisk.",
        discussion: "There is more than one only if an app, or sign-in --keep-others, keeps who was there before.",
        examples: ["sharedauth accounts --app-id com.example.Mail", "sharedauth accounts --emails"]
    )

    @Flag(help: "Show their e-mail addresses, too.")
    var emails = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func run() throws {
        let auth = try app.auth()
        let group = try auth.knownGroup
        let users = try auth.storedUsers(inAccessGroup: group)
        let current = auth.currentUser?.uid
        if app.json {
            let accounts = users.map { $0.json(isCurrent: $0.uid == current) }
            let members: [String: JSONValue] = [
                "appID": JSONValue(auth.app?.identity.appID), "accessGroup": JSONValue(group),
                "accounts": .array(accounts),
            ]
            return try StandardOutput.write(line: try JSONValue.object(members).text)
        }
        if users.isEmpty { try StandardOutput.write(line: "nobody") }
        for user in users {
            let line = user.line(showingEmail: emails)
            try StandardOutput.write(line: (user.uid == current ? "* " : "  ") + line)
        }
    }
}

/// Makes another account of the slot in use current.
struct SwitchUser: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "switch",
        abstract: "Make another account of the slot in use the current one, in every app of the access group.",
        discussion: "'sharedauth accounts' lists them. A uid that is not among them ends with 67.",
        examples: ["sharedauth switch Xq3TQ0l7kLh2", "sharedauth switch \"$uid\" --app-id com.example.Mail --json"]
    )

    @Argument(help: "The user's uid.")
    var uid: String

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func run() throws {
        let auth = try app.auth()
        try auth.switchCurrentUser(toUID: uid)
        try Report(of: auth).print(asJSON: app.json)
    }
}

/// Prints the current user's uid, and nothing else.
struct WhoAmI: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "whoami",
        abstract: "Print the uid of the current user, and nothing else; 67 if nobody is signed in.",
        examples: ["uid=$(sharedauth whoami) && echo \"signed in as $uid\"", "sharedauth whoami --json"]
    )

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func run() throws {
        let auth = try app.auth()
        let group = try auth.knownGroup
        guard let user = auth.currentUser else {
            let slot = group.map { "access group \($0)" } ?? "the app's own slot"
            throw AuthError(.nullUser, "Nobody is signed in in \(slot).", remedy: "Run sharedauth sign-in.")
        }
        let uid = app.json ? try JSONValue.object(["uid": .string(user.uid)]).text : user.uid
        try StandardOutput.write(line: uid)
    }
}

extension User {
    /// As `json`, with the member `isCurrent`.
    fileprivate func json(isCurrent: Bool) -> JSONValue {
        guard case .object(var members) = json else { return json }
        members["isCurrent"] = .bool(isCurrent)
        return .object(members)
    }
}
