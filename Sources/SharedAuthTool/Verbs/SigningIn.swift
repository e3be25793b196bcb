internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Signs a user in through the embedded identity provider.
struct SignIn: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in",
        abstract: "Sign in, anonymously or with an e-mail address and a password.",
        discussion: """
            The password is read from standard input, so that no list of processes shows it. With --email-stdin, the \
            address is the first line and the password the second.
            """
    )

    @Flag(help: "Sign in without an account.")
    var anonymous = false

    @Option(help: ArgumentHelp("The e-mail address of the account.", valueName: "address"))
    var email: String?

    @Flag(help: "Read the e-mail address from standard input.")
    var emailStdin = false

    @Flag(help: "Read the password from standard input.")
    var passwordStdin = false

    @Flag(help: "Create the account.")
    var create = false

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func validate() throws {
        guard [anonymous, email != nil, emailStdin].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --anonymous, --email <address> and --email-stdin.")
        }
        if anonymous && (create || passwordStdin) {
            throw ValidationError("--anonymous goes with neither --create nor --password-stdin.")
        }
        if !anonymous && !passwordStdin {
            throw ValidationError("Give the password on standard input, with --password-stdin.")
        }
    }

    func run() throws {
        let auth = try app.auth()
        if anonymous {
            try result { () async throws(AuthError) in _ = try await auth.signInAnonymously() }
        } else {
            let address = try email ?? StandardInput.line("e-mail address")
            let password = try StandardInput.line("password")
            let create = create
            try result { () async throws(AuthError) in
                if create {
                    _ = try await auth.createUser(withEmail: address, password: password)
                } else {
                    _ = try await auth.signIn(withEmail: address, password: password)
                }
            }
        }
        try Report(of: auth).print(asJSON: app.json)
    }
}

/// Signs the current user out.
struct SignOut: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Sign the current user out, in every app of the access group in use."
    )

    @OptionGroup(title: "Options for all verbs") var app: AppOptions

    func run() throws {
        let auth = try app.auth()
        try auth.signOut()
        try Report(of: auth).print(asJSON: app.json)
    }
}
