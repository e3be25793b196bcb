internal import ArgumentParser
internal import CommandLineSupport
internal import IdentityToolkit
internal import OpenIDConnect
internal import SharedAuth

/// Adds a sign-in method to the current user's account.
struct Link: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "link",
        abstract: "Add a sign-in method to the current user's account.",
        usage: """
            sharedauth link --email <address> [--password-stdin]
            sharedauth link --email-stdin --password-stdin
            sharedauth link --provider <id> [--redirect-port <port>]
            sharedauth link --provider <id> --oidc <issuer> --client-id <id>
            """,
        discussion: """
            An anonymous user keeps the uid and is no longer anonymous. On a terminal, the password is typed and not \
            shown; a script passes it on standard input, with --password-stdin.

            With --provider, the current user must be a user of Firebase, and signs in to another service in the \
            browser. Firebase contacts that service itself, unless --oidc names an OpenID provider whose ID token \
            Firebase accepts.
            """,
        examples: [
            "sharedauth link --email ada@example.com",
            "sharedauth link --provider github.com --redirect-port 8765",
        ]
    )

    @OptionGroup var address: AddressOptions

    @Flag(help: "Read the password from standard input.")
    var passwordStdin = false

    @OptionGroup var service: ServiceOptions

    @OptionGroup var openID: ClientOptions

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        try openID.check()
        guard [address.isGiven, service.provider != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --email <address>, --email-stdin and --provider <id>.")
        }
        if openID.oidc != nil && service.provider == nil { throw ValidationError("--oidc goes with --provider <id>.") }
        if service.provider != nil && passwordStdin {
            throw ValidationError("--password-stdin goes with --email or --email-stdin.")
        }
        if service.provider == nil && (service.paste || !service.parameter.isEmpty || service.prompt != nil) {
            throw ValidationError("--paste, --parameter and --prompt go with --provider <id>.")
        }
        try service.check(isByCode: openID.device)
        if service.provider == nil && !passwordStdin && !Terminal.isThere {
            throw ValidationError("Give the password on standard input, with --password-stdin.")
        }
    }

    func run() throws {
        let auth = try app.auth()
        let user = try auth.knownUser()
        let pasted = PastedAddresses(isAsked: service.paste)
        defer { pasted.end() }
        let browser = try service.browser(pasted, canUseCode: openID.oidc != nil)
        if let openIDProvider = try openID.identityProvider(calledBy: service.provider) {
            let signIn = openID.signIn(at: openIDProvider, browser: browser)
            try result { () async throws(AuthError) in _ = try await user.link(with: signIn) }
        } else if let provider = service.provider {
            try link(user, OAuthProvider(providerID: provider, auth: auth), by: browser)
        } else {
            let email = try address.value()
            let password = try Terminal.password(isNew: !passwordStdin)
            let credential = EmailAuthProvider.credential(withEmail: email, password: password)
            try result { () async throws(AuthError) in _ = try await user.link(with: credential) }
        }
        var report = Report(of: auth)
        let ways = user.providerData.map(\.providerID)
        report.add(
            "providers",
            .array(ways.map { .string($0) }),
            row: "signs in with",
            text: ways.joined(separator: ", ")
        )
        try report.print(asJSON: app.json)
    }

    /// Links an account of another service through the issuer of the user's session.
    private func link(_ user: User, _ provider: OAuthProvider, by browser: BrowserSettings) throws {
        var settings = IdentityToolkit.Settings()
        settings.browser = browser
        guard let toolkit = user.knownIssuer.flatMap({ IdentityToolkit(issuer: $0, settings: settings) }) else {
            throw AuthError(
                .operationNotAllowed,
                "The session of \(user.uid) is not one of Firebase.",
                remedy: "Give --provider for a user of Firebase."
            )
        }
        try result { () async throws(AuthError) in
            _ = try await user.link(with: try await toolkit.credential(of: provider, tenantID: user.tenantID))
        }
    }
}
