internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Lists the accounts of the slot in use.
struct Accounts: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "accounts",
        abstract: "List the accounts that are signed in to the slot in use. An asterisk marks the current one.",
        discussion: "There is more than one only if an app, or sign-in --keep-others, keeps the previous user.",
        examples: ["sharedauth accounts --app-id com.example.Mail", "sharedauth accounts --emails"]
    )

    @Flag(help: "Show e-mail addresses, too.")
    var emails = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func run() throws {
        let auth = try app.auth()
        let group = try auth.knownGroup
        let users = try auth.storedUsers(inAccessGroup: group)
        let current = auth.currentUser?.id
        if app.json {
            let accounts = users.map { $0.json(isCurrent: $0.id == current) }
            let members: [String: JSONValue] = [
                "appID": JSONValue(auth.app?.identity.appID), "accessGroup": JSONValue(group),
                "accounts": .array(accounts),
            ]
            return try StandardOutput.write(line: try JSONValue.object(members).text)
        }
        if users.isEmpty { try StandardOutput.write(line: "nobody") }
        for user in users {
            var line = user.line(showingEmail: emails)
            if users.count(where: { $0.uid == user.uid }) > 1 { line += " of \(user.id.issuer ?? "an unknown issuer")" }
            try StandardOutput.write(line: (user.id == current ? "* " : "  ") + line)
        }
    }
}

/// Makes another account of the slot in use the current one.
struct SwitchUser: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "switch",
        abstract: "Make another account of the slot in use the current one, in every app of the access group.",
        discussion: "'sharedauth accounts' lists them. Exits with 67 for any other uid.",
        examples: ["sharedauth switch Xq3TQ0l7kLh2", "sharedauth switch \"$uid\" --app-id com.example.Mail --json"]
    )

    @Argument(help: "The user's uid.")
    var uid: String

    @OptionGroup var issuer: IssuerChoice

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func run() throws {
        let auth = try app.auth()
        if let user = try issuer.user(ofUID: uid, in: auth) {
            try auth.switchCurrentUser(to: user)
        } else {
            try auth.switchCurrentUser(toUID: uid)
        }
        try Report(of: auth).print(asJSON: app.json)
    }
}

/// The issuer that distinguishes accounts with the same uid.
struct IssuerChoice: ParsableArguments {
    @Option(help: "The issuer of the account, where several accounts have the uid.")
    var issuer: String?

    /// Returns the stored user with this uid and issuer; nil if no issuer was given.
    ///
    /// - Throws: `userNotFound` if the slot in use has no such user.
    func user(ofUID uid: String, in auth: Auth) throws -> User? {
        guard let issuer else { return nil }
        let users = try auth.storedUsers(inAccessGroup: auth.knownGroup)
        if let user = users.first(where: { $0.id == AccountID(uid: uid, issuer: issuer) }) { return user }
        throw AuthError(
            .userNotFound,
            "The slot in use has no account with the uid \(uid) from the issuer \(issuer).",
            remedy: "List the accounts with sharedauth accounts --json."
        )
    }
}

/// Prints the current user's uid, and nothing else.
struct WhoAmI: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "whoami",
        abstract: "Print the uid of the current user, and nothing else; exit with 67 if no user is signed in.",
        examples: ["uid=$(sharedauth whoami) && echo \"signed in as $uid\"", "sharedauth whoami --json"]
    )

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func run() throws {
        let auth = try app.auth()
        let group = try auth.knownGroup
        guard let user = auth.currentUser else {
            let slot = group.map { "access group \($0)" } ?? "the app's own slot"
            throw AuthError(.nullUser, "No user is signed in to \(slot).", remedy: "Run sharedauth sign-in.")
        }
        let uid = app.json ? try JSONValue.object(["uid": .string(user.uid)]).text : user.uid
        try StandardOutput.write(line: uid)
    }
}

extension User {
    /// Returns `json` with the members `isCurrent` and `issuer`.
    fileprivate func json(isCurrent: Bool) -> JSONValue {
        guard case .object(var members) = json else { return json }
        members["issuer"] = JSONValue(id.issuer)
        members["isCurrent"] = .bool(isCurrent)
        return .object(members)
    }
}
