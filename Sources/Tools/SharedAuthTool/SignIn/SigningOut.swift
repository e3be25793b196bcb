internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Signs users out.
struct SignOut: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "sign-out",
        abstract: "Sign the current user out, in every app of the access group in use.",
        discussion: """
            With --user, signs out another account of the slot in use; with --all, all accounts. Exits with 67 for a \
            uid that is not in the slot. A session of an OpenID provider is also ended there. If that fails, an error \
            reports the cause, but the user is signed out on this machine. If the provider does not support it for a \
            client without a secret, the tool prints a line and exits with 0.
            """,
        examples: ["sharedauth sign-out --app-id com.example.Mail", "sharedauth sign-out --all"]
    )

    @Option(help: ArgumentHelp("Sign this user out, current or not.", valueName: "uid"))
    var user: String?

    @OptionGroup var issuer: IssuerChoice

    @Flag(help: "Sign every account out.")
    var all = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        if user != nil, all { throw ValidationError("Give one of --user <uid> and --all.") }
        if user == nil, issuer.issuer != nil { throw ValidationError("--issuer goes with --user <uid>.") }
    }

    func run() throws {
        let auth = try app.auth()
        let (user, all) = (user, all)
        let named = try user.flatMap { try issuer.user(ofUID: $0, in: auth) }
        // Without --user the slot need not be readable: signing out of a damaged one sets its record aside.
        let unknown = try user.flatMap { try Self.unknown($0, in: auth) }
        // Wait for the revocation before the process ends.
        try result { () async throws(AuthError) in
            if let named {
                try await auth.signOut(named)
            } else if let user {
                try await auth.signOut(uid: user)
            } else if all {
                try await auth.signOutAll()
            } else {
                try await auth.signOut(timeout: .seconds(5))
            }
        }
        // The sign-out has deleted a migration's leftover data of a user who is in no record.
        if let unknown { throw unknown }
        for line in RemoteProviders.sessionsThatLast { StandardError.write(line: line) }
        try Report(of: auth).print(asJSON: app.json)
    }

    /// Returns the error for a uid that no user of the slot in use has, and nil if one has it.
    private static func unknown(_ uid: String, in auth: Auth) throws -> AuthError? {
        let slot = try auth.knownGroup
        guard try !auth.storedUsers(inAccessGroup: slot).contains(where: { $0.uid == uid }) else { return nil }
        return AuthError(
            .userNotFound,
            "No user of this uid is stored in \(slot.map { "access group \($0)" } ?? "the app's own slot").",
            remedy: "List the accounts with sharedauth accounts."
        )
    }
}
