internal import ArgumentParser
internal import CommandLineSupport
internal import IdentityToolkit
internal import OpenIDConnect
internal import SharedAuth

/// Signs a user in: through the embedded identity provider, at an OpenID provider, or at Firebase.
struct SignIn: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "sign-in",
        abstract: "Sign in: anonymously, with a password, at an OpenID provider, or at Firebase.",
        usage: """
            sharedauth sign-in --anonymous [--keep-others]
            sharedauth sign-in --email <address> [--create] [--password-stdin]
            sharedauth sign-in --email-stdin --password-stdin [--create]
            sharedauth sign-in --oidc <issuer> --client-id <id> [--device | --paste]
            sharedauth sign-in --oauth <issuer> --register <name> [--device]
            sharedauth sign-in --firebase (--anonymous | --email <address> | ...)
            sharedauth sign-in --firebase --custom-token-stdin
            sharedauth sign-in --firebase --provider <id> [--oidc <issuer> ...]
            """,
        discussion: """
            On a terminal, the tool prompts for the password and does not show it. A script passes it on standard \
            input, with --password-stdin, so that no list of processes shows it. With --email-stdin, the address is \
            the first line and the password the second. The tool prompts for the code of a second factor, too; with \
            --code-stdin, it is the last line.

            With --oidc, the user signs in by browser, or with --device by entering a code in any browser. The \
            apps of an access group use one client id. If the OpenID provider issued a client secret, pass it with \
            --client-secret-stdin, and later in the variables SHAREDAUTH_CLIENT_SECRET and \
            SHAREDAUTH_CLIENT_SECRET_ISSUER. The tool prints the redirect address to register at the provider; doctor \
            --oidc prints it beforehand. If the provider issues no refresh token, a line says when the session ends.

            --scope, --parameter and --prompt go into the request, by browser or by code. If the provider lists the \
            scope offline_access, it is added, unless --no-offline-access is given or the provider refuses it; with \
            --scope offline_access, the provider asks for consent. --issuer-template accepts the accounts of all \
            tenants of a provider that names a template as its issuer.

            If the browser is on another machine, its last page fails, as that machine does not run this tool. Copy \
            the address of that page and paste it here: on a terminal at any time while the tool waits, otherwise on \
            standard input with --paste. It is not shown.

            With --oauth, the user signs in at a plain OAuth 2 server, which issues access tokens and no ID tokens, in \
            the same ways. --register registers a client for all apps of the project. A server without metadata is \
            named by --token-endpoint, with --authorization-endpoint or --device-endpoint, and with the page that \
            describes the user, --user-page.

            With --firebase, the user is one of a Firebase project. The project's API key is --api-key, else \
            SHAREDAUTH_API_KEY, else --project, as in the apps. With --provider alone, Firebase contacts the service \
            that the user signs in to; with --oidc as well, the ID token of that OpenID provider signs in.
            """,
        examples: [
            "sharedauth sign-in --oidc https://id.example.com --client-id desktop",
            "sharedauth sign-in --firebase --email ada@example.com --create",
        ]
    )

    @Flag(help: "Sign in without an account.")
    var anonymous = false

    @OptionGroup var address: AddressOptions

    @Flag(help: "Read the password from standard input.")
    var passwordStdin = false

    @Flag(help: "Create the account.")
    var create = false

    @OptionGroup var openID: ClientOptions

    @OptionGroup(title: "Options for plain OAuth 2 servers") var plain: OAuthOptions

    @Flag(help: "Sign in at Firebase.")
    var firebase = false

    @Flag(help: "Read a token from the project's server from standard input.")
    var customTokenStdin = false

    @Flag(help: "Read the code of a second factor from standard input.")
    var codeStdin = false

    @OptionGroup var service: ServiceOptions

    @OptionGroup var project: FirebaseOptions

    @Flag(help: "Keep the current user signed in, too.")
    var keepOthers = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        try openID.check(beside: plain)
        let isAtService = openID.oidc != nil || service.provider != nil || plain.isGiven
        guard [anonymous, address.isGiven, customTokenStdin, isAtService].count(where: { $0 }) == 1 else {
            throw ValidationError(
                "Give one of --anonymous, --email <address>, --email-stdin, --oidc <issuer>, --oauth <issuer>, "
                    + "--token-endpoint <url>, --custom-token-stdin and --provider <id>."
            )
        }
        let needsPassword = address.isGiven
        if !needsPassword && (create || passwordStdin) {
            throw ValidationError("--create and --password-stdin go with --email or --email-stdin.")
        }
        if needsPassword && !passwordStdin && !Terminal.isThere {
            throw ValidationError("Give the password on standard input, with --password-stdin.")
        }
        if !firebase && (customTokenStdin || codeStdin || service.provider != nil || project.areGiven) {
            throw ValidationError(
                "--custom-token-stdin, --code-stdin, --provider, --api-key, --emulator and --tenant go with --firebase."
            )
        }
        if !isAtService && (service.paste || !service.parameter.isEmpty || service.prompt != nil) {
            throw ValidationError(
                "--paste, --parameter and --prompt go with --oidc <issuer>, --oauth <issuer>, --token-endpoint <url> "
                    + "or --provider <id>."
            )
        }
        try service.check(isByCode: openID.device)
        if plain.isGiven && (firebase || service.provider != nil) {
            throw ValidationError("--oauth and --token-endpoint do not go with --firebase.")
        }
        if firebase && openID.oidc != nil && service.provider == nil {
            throw ValidationError("--oidc with --firebase needs --provider <id>, e.g. google.com or oidc.company.")
        }
    }

    func run() throws {
        let pasted = PastedAddresses(isAsked: service.paste)
        let browser = try service.browser(pasted, canUseCode: openID.oidc != nil || plain.isGiven)
        let toolkit = firebase ? try project.identityProvider(for: app, browser: browser) : nil
        let openIDProvider = try openID.identityProvider(calledBy: service.provider)
        let plainProvider = try plain.identityProvider(openID)
        let identityProvider: IdentityProviderFactory? =
            if let toolkit { .only(toolkit) } else if let plainProvider { .oauth2(plainProvider) } else {
                openIDProvider.map { .openIDConnect($0) }
            }
        let auth = try app.auth(keepingOtherUsers: keepOthers, signingInWith: identityProvider)
        if let tenant = project.tenant { auth.tenantID = tenant }
        do {
            defer { pasted.end() }
            try signIn(to: auth, at: openIDProvider, or: plainProvider, by: browser)
        } catch let error as AuthError {
            guard let resolver = error.details?.secondFactor, codeStdin || Terminal.isThere else { throw error }
            try resolver.finish(asking: "Code of the second factor", orThrow: error)
        }
        try Report(of: auth).print(asJSON: app.json)
    }

    /// Signs in interactively at an OpenID provider or a plain OAuth 2 server, and returns the user.
    private func signIn(
        to auth: Auth,
        with signIn: any FederatedAuthProvider,
        _ browser: BrowserSettings,
        _ redirectAddress: @escaping @Sendable (BrowserSettings) async throws(AuthError) -> String?
    ) throws(AuthError) -> User {
        // Before the server is asked for its document, or registers the app.
        try result { () async throws(AuthError) in try await auth.checkCanSignIn() }
        if !openID.device { try openID.sayRedirectAddress(browser, redirectAddress) }
        return try result { () async throws(AuthError) in try await auth.signIn(with: signIn).user }
    }

    private func signIn(
        to auth: Auth,
        at openIDProvider: OpenIDConnect?,
        or plainProvider: OAuth2?,
        by browser: BrowserSettings
    ) throws {
        if let openIDProvider {
            let signIn = openID.signIn(at: openIDProvider, browser: browser)
            let user = try self.signIn(to: auth, with: signIn, browser, openIDProvider.redirectAddress)
            if !firebase {
                ClientOptions.sayEnd(of: user, afterRefusalOfScope: openIDProvider.hasRefusedAddedScope)
            }
        } else if let plainProvider {
            let signIn = openID.signIn(at: plainProvider, browser: browser)
            ClientOptions.sayEnd(of: try self.signIn(to: auth, with: signIn, browser, plainProvider.redirectAddress))
        } else if let provider = service.provider {
            let signIn = OAuthProvider(providerID: provider, auth: auth)
            try result { () async throws(AuthError) in _ = try await auth.signIn(with: signIn) }
        } else if anonymous {
            try signInAnonymously(to: auth)
        } else if customTokenStdin {
            let token = try StandardInput.line("custom token")
            try result { () async throws(AuthError) in _ = try await auth.signIn(withCustomToken: token) }
        } else {
            let email = try address.value()
            let password = try Terminal.password(isNew: create && !passwordStdin)
            let create = create
            try result { () async throws(AuthError) in
                if create {
                    _ = try await auth.createUser(withEmail: email, password: password)
                } else {
                    _ = try await auth.signIn(withEmail: email, password: password)
                }
            }
        }
    }
}

extension SignIn {
    /// Signs in anonymously.
    ///
    /// - Throws: `operationNotAllowed` if a second anonymous user was requested: a current anonymous user stays
    ///   current.
    private func signInAnonymously(to auth: Auth) throws {
        let present = keepOthers ? auth.currentUser?.uid : nil
        try result { () async throws(AuthError) in _ = try await auth.signInAnonymously() }
        guard let present, auth.currentUser?.uid == present else { return }
        throw AuthError(
            .operationNotAllowed,
            "The current user, \(present), is anonymous already, and no second one was added: nothing was changed.",
            remedy: "Leave --keep-others out, or make another account current first."
        )
    }
}

/// The options for an account's e-mail address: an argument, or standard input, so that no list of processes shows it.
struct AddressOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The e-mail address of the account.", valueName: "address"))
    var email: String?

    @Flag(help: "Read the e-mail address from standard input.")
    var emailStdin = false

    var isGiven: Bool { email != nil || emailStdin }

    func validate() throws {
        if email != nil && emailStdin { throw ValidationError("Give --email <address> or --email-stdin, not both.") }
    }

    /// Returns the address from the argument, or reads it.
    func value() throws -> String { try email ?? StandardInput.line("e-mail address") }
}

extension MultiFactorResolver {
    /// Finishes a sign-in with a code that the user types, or a script passes.
    ///
    /// - Throws: The error that requested the code, if no factor has codes that an app computes.
    fileprivate func finish(asking question: String, orThrow error: AuthError) throws {
        guard let factor = hints.first(where: { $0.factorID == TOTPMultiFactorGenerator.id }) else { throw error }
        let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
            withEnrollmentID: factor.uid,
            oneTimePassword: try Terminal.hiddenLine("code", asking: question)
        )
        try result { () async throws(AuthError) in _ = try await resolveSignIn(with: assertion) }
    }
}
