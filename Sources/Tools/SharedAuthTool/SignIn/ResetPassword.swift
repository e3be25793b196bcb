internal import ArgumentParser
internal import CommandLineSupport
internal import SharedAuth

/// Resets a password by an e-mail from Firebase.
struct ResetPassword: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "reset-password",
        abstract: "Have Firebase send a mail for a new password, or set it with the code in that mail.",
        usage: """
            sharedauth reset-password --email <address>
            sharedauth reset-password --email-stdin
            sharedauth reset-password --code-stdin [--password-stdin]
            """,
        discussion: """
            Firebase may not report whether the address has an account. The user opens the link in the mail. Or, with \
            --code-stdin, the tool prompts on the terminal for that link or its code, and for the new password. A \
            script passes both on standard input, with --code-stdin --password-stdin: the code is the first line, the \
            password the second. Afterwards, all sessions of the account have ended.

            The project's API key is --api-key, else SHAREDAUTH_API_KEY, else --project.
            """,
        examples: [
            "sharedauth reset-password --email ada@example.com --api-key AIza...",
            "sharedauth reset-password --code-stdin --api-key AIza...",
        ]
    )

    @OptionGroup var address: AddressOptions

    @Flag(help: "Set the password: read the mail's link or code from standard input.")
    var codeStdin = false

    @Flag(help: "Read the new password from standard input.")
    var passwordStdin = false

    @OptionGroup var project: FirebaseOptions

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        guard [address.isGiven, codeStdin].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --email <address>, --email-stdin and --code-stdin.")
        }
        if passwordStdin && !codeStdin { throw ValidationError("--password-stdin goes with --code-stdin.") }
        if codeStdin && !passwordStdin && !Terminal.isThere {
            throw ValidationError("Give the password on standard input, with --password-stdin.")
        }
    }

    func run() throws {
        let auth = try app.auth(signingInWith: .only(try project.identityProvider(for: app)))
        if let tenant = project.tenant { auth.tenantID = tenant }
        codeStdin ? try choosePassword(auth) : try sendMail(auth)
    }

    private func sendMail(_ auth: Auth) throws {
        let email = try address.value()
        try result { () async throws(AuthError) in try await auth.sendPasswordReset(withEmail: email) }
        try say("requested", "A mail is sent, if the address has an account.")
    }

    private func choosePassword(_ auth: Auth) throws {
        let text = try Terminal.hiddenLine("code", asking: "Link or code of the mail")
        let code = ActionCodeURL(link: text)?.code ?? text
        let password = try Terminal.password(isNew: !passwordStdin, asking: "New password")
        try result { () async throws(AuthError) in
            try await auth.confirmPasswordReset(withCode: code, newPassword: password)
        }
        try say("changed", "The password is changed. Sign in again: every session of the account has ended.")
    }

    private func say(_ member: String, _ sentence: String) throws {
        try StandardOutput.write(line: app.json ? try JSONValue.object([member: .bool(true)]).text : sentence)
    }
}
