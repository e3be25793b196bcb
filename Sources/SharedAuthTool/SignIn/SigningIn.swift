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
            sharedauth sign-in --oidc <issuer> --client-id <id> [--device]
            sharedauth sign-in --firebase (--anonymous | --email <address> | ...)
            sharedauth sign-in --firebase --custom-token-stdin
            sharedauth sign-in --firebase --provider <id> [--oidc <issuer> ...]
            """,
        discussion: """
            The password is asked for on a terminal, and not shown. A script gives it on standard input, with \
            --password-stdin, so that no list of processes shows it. With --email-stdin, the address is the first line and the \
            password the second. The code of a second factor is asked for, too, or is the last line with --code-stdin.

            With --oidc, the person signs in in the browser, or with --device by a code that is entered in any browser. The \
            apps of an access group use one client id. Where the OpenID provider gave a client secret, it is the line for \
            --client-secret-stdin, and later the variables SHAREDAUTH_CLIENT_SECRET and \
            SHAREDAUTH_CLIENT_SECRET_ISSUER. The redirect address that has to be registered there is shown; doctor --oidc shows it \
            beforehand.

            With --firebase, it is a user of a Firebase project. The project's API key is --api-key, else SHAREDAUTH_API_KEY, \
            else --project, as in the apps. With --provider alone, Firebase asks the service that the person signs in at; with \
            --oidc as well, the ID token of that OpenID provider signs in.
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

    @OptionGroup var openID: OpenIDOptions

    @Flag(help: "Sign in at Firebase.")
    var firebase = false

    @Flag(help: "Read a token that the project's own server made.")
    var customTokenStdin = false

    @Flag(help: "Read the code of a second factor from standard input.")
    var codeStdin = false

    @OptionGroup var service: ServiceOptions

    @OptionGroup var project: FirebaseOptions

    @Flag(help: "Keep the present user signed in, too.")
    var keepOthers = false

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        let isAtService = openID.oidc != nil || service.provider != nil
        guard [anonymous, address.isGiven, customTokenStdin, isAtService].count(where: { $0 }) == 1 else {
            throw ValidationError(
                "Give one of --anonymous, --email <address>, --email-stdin, --oidc <issuer>, --custom-token-stdin and "
                    + "--provider <id>."
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
        if firebase && openID.oidc != nil && service.provider == nil {
            throw ValidationError("--oidc with --firebase needs --provider <id>, e.g. google.com or oidc.company.")
        }
    }

    func run() throws {
        let toolkit = firebase ? try project.identityProvider(for: app, browser: service.browser) : nil
        let openIDProvider = try openID.identityProvider(calledBy: service.provider)
        let identityProvider: (any IdentityProvider)? = if let toolkit { toolkit } else { openIDProvider }
        let auth = try app.auth(keepingOtherUsers: keepOthers, signingInWith: identityProvider)
        if let tenant = project.tenant { auth.tenantID = tenant }
        do {
            try signIn(to: auth, at: openIDProvider)
        } catch let error as AuthError {
            guard let resolver = error.details?.secondFactor, codeStdin || Terminal.isThere else { throw error }
            try resolver.finish(asking: "Code of the second factor", orThrow: error)
        }
        try Report(of: auth).print(asJSON: app.json)
    }

    private func signIn(to auth: Auth, at openIDProvider: OpenIDConnect?) throws {
        if let openIDProvider {
            let signIn = openID.signIn(at: openIDProvider, browser: service.browser)
            if !openID.device { try openID.sayRedirectAddress(at: openIDProvider, service.browser) }
            try result { () async throws(AuthError) in _ = try await auth.signIn(with: signIn) }
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
    /// - Throws: `operationNotAllowed` where a second anonymous user was wanted: an anonymous user who is current stays.
    private func signInAnonymously(to auth: Auth) throws {
        let present = keepOthers ? auth.currentUser?.uid : nil
        try result { () async throws(AuthError) in _ = try await auth.signInAnonymously() }
        guard let present, auth.currentUser?.uid == present else { return }
        throw AuthError(
            .operationNotAllowed,
            "The current user, \(present), is anonymous already, and stays the only one: nothing was changed.",
            remedy: "Leave --keep-others out, or make another account current first."
        )
    }
}

/// The e-mail address of an account: named, or on standard input, where no list of processes shows it.
struct AddressOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The e-mail address of the account.", valueName: "address"))
    var email: String?

    @Flag(help: "Read the e-mail address from standard input.")
    var emailStdin = false

    var isGiven: Bool { email != nil || emailStdin }

    func validate() throws {
        if email != nil && emailStdin { throw ValidationError("Give --email <address> or --email-stdin, not both.") }
    }

    /// The address; read, unless it is named.
    func value() throws -> String { try email ?? StandardInput.line("e-mail address") }
}

extension MultiFactorResolver {
    /// Finishes a sign-in with a code that the person types, or a script gives.
    ///
    /// - Throws: the error that asked for it, if none of the factors has codes that an app computes.
    fileprivate func finish(asking question: String, orThrow error: AuthError) throws {
        guard let factor = hints.first(where: { $0.factorID == TOTPMultiFactorGenerator.id }) else { throw error }
        let assertion = TOTPMultiFactorGenerator.assertionForSignIn(
            withEnrollmentID: factor.uid,
            oneTimePassword: try Terminal.hiddenLine("code", asking: question)
        )
        try result { () async throws(AuthError) in _ = try await resolveSignIn(with: assertion) }
    }
}
