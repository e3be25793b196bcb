internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Signs a user in, through the embedded identity provider or at an OpenID provider.
struct SignIn: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "sign-in",
        abstract: "Sign in: anonymously, with a password, or at an OpenID provider.",
        usage: """
            sharedauth sign-in --anonymous [--keep-others]
            sharedauth sign-in --email <address> [--create] [--password-stdin]
            sharedauth sign-in --email-stdin --password-stdin [--create]
            sharedauth sign-in --oidc <issuer> --client-id <id> [--device]
            """,
        discussion: """
            The password is asked for on a terminal, and not shown. A script gives it on standard input, with \
            --password-stdin, so that no list of processes shows it. With --email-stdin, the address is the first line and the \
            password the second.

            With --oidc, the person signs in in the browser, or with --device by a code that is entered in any browser. The \
            apps of an access group use one client id. Where the OpenID provider gave a client secret, it is the line for \
            --client-secret-stdin, and later the variable SHAREDAUTH_CLIENT_SECRET.
            """,
        examples: [
            "sharedauth sign-in --email ada@example.com --create",
            "sharedauth sign-in --oidc https://id.example.com --client-id desktop",
        ]
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

    @OptionGroup var openID: OpenIDOptions

    @Flag(help: "Keep the present user signed in, too.")
    var keepOthers = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        guard [anonymous, email != nil, emailStdin, openID.oidc != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --anonymous, --email <address>, --email-stdin and --oidc <issuer>.")
        }
        let needsPassword = email != nil || emailStdin
        if !needsPassword && (create || passwordStdin) {
            throw ValidationError("--create and --password-stdin go with --email or --email-stdin.")
        }
        if needsPassword && !passwordStdin && !Terminal.isThere {
            throw ValidationError("Give the password on standard input, with --password-stdin.")
        }
    }

    func run() throws {
        let identityProvider = try openID.identityProvider()
        let auth = try app.auth(keepingOtherUsers: keepOthers, signingInWith: identityProvider)
        if let identityProvider {
            let signIn = openID.signIn(at: identityProvider)
            try result { () async throws(AuthError) in _ = try await auth.signIn(with: signIn) }
        } else if anonymous {
            try result { () async throws(AuthError) in _ = try await auth.signInAnonymously() }
        } else {
            let address = try email ?? StandardInput.line("e-mail address")
            let password = try password()
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

    /// The password; a person who chooses one types it twice.
    private func password() throws -> String {
        let password = try Terminal.hiddenLine("password", asking: "Password")
        if create, !passwordStdin, try Terminal.hiddenLine("password", asking: "The same again") != password {
            throw ToolError(.usage, "The two passwords are not the same.", remedy: "Try again; nothing was changed.")
        }
        return password
    }
}

/// Signs users out.
struct SignOut: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "sign-out",
        abstract: "Sign the current user out, in every app of the access group in use.",
        discussion: """
            With --user, it is another account of the slot in use; with --all, all of them. A session of an OpenID provider is \
            ended there, too; what keeps it from that is said, and the user is signed out all the same.
            """,
        examples: ["sharedauth sign-out --app-id com.example.Mail", "sharedauth sign-out --all"]
    )

    @Option(help: ArgumentHelp("Sign this user out, current or not.", valueName: "uid"))
    var user: String?

    @Flag(help: "Sign every account out.")
    var all = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        if user != nil, all { throw ValidationError("Give one of --user <uid> and --all.") }
    }

    func run() throws {
        let auth = try app.auth()
        let (user, all) = (user, all)
        // The process has to outlive the revocation.
        try result { () async throws(AuthError) in
            if let user {
                try await auth.signOut(uid: user)
            } else if all {
                try await auth.signOutAll()
            } else {
                try await auth.signOut(timeout: .seconds(5))
            }
        }
        try Report(of: auth).print(asJSON: app.json)
    }
}
