internal import ArgumentParser
internal import CommandLineSupport
internal import DesktopSupport
internal import FoundationEssentials
internal import OpenIDConnect
internal import SharedAuth

/// The options for a client at an OpenID provider or a plain OAuth 2 server, and for a sign-in with it.
struct ClientOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Sign in at an OpenID provider, in the browser.", valueName: "issuer"))
    var oidc: String?

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp("The client id that the OpenID provider gave to the app.", valueName: "id")
    )
    var clientID: String?

    @Flag(help: "Show a code for a browser on any machine.")
    var device = false

    @Option(help: ArgumentHelp("A scope to request; may be repeated.", valueName: "scope"))
    var scope: [String] = []

    @Flag(help: "Do not add the scope offline_access.")
    var noOfflineAccess = false

    @Option(
        help: ArgumentHelp(
            "The template of the provider's issuers, to accept the accounts of all its tenants.",
            valueName: "url"
        )
    )
    var issuerTemplate: String?

    @Option(
        help: ArgumentHelp(
            "The path of the redirect address registered at the OpenID provider, such as /callback.",
            valueName: "path"
        )
    )
    var redirectPath: String?

    @Flag(help: "Read the client secret from standard input.")
    var clientSecretStdin = false

    /// Checks that the options for a client go with a server.
    ///
    /// - Parameter plain: The options for a plain OAuth 2 server, if the verb has them.
    func check(beside plain: OAuthOptions? = nil) throws {
        if oidc != nil, clientID == nil { throw ValidationError("--oidc needs --client-id <id>.") }
        let isAboutOpenID = noOfflineAccess || issuerTemplate != nil
        if let plain, plain.isGiven {
            if oidc != nil { throw ValidationError("Give --oidc, --oauth or --token-endpoint.") }
            if isAboutOpenID {
                throw ValidationError("--no-offline-access and --issuer-template go with --oidc <issuer>.")
            }
            if (clientID == nil) == (plain.register == nil) {
                throw ValidationError("--oauth and --token-endpoint need --client-id <id> or --register <name>.")
            }
            if plain.register != nil, clientSecretStdin {
                throw ValidationError("--client-secret-stdin goes with --client-id: a registered client has its own.")
            }
            if let lacking = plain.lackingEndpoint(isByCode: device) {
                throw ValidationError("--token-endpoint needs \(lacking) <url> for this sign-in.")
            }
            return
        }
        let isAnyGiven =
            clientID != nil || device || clientSecretStdin || !scope.isEmpty || redirectPath != nil || isAboutOpenID
        if oidc == nil, isAnyGiven {
            throw ValidationError(
                "--client-id, --device, --scope, --no-offline-access, --issuer-template, --redirect-path and "
                    + "--client-secret-stdin go with --oidc <issuer>."
            )
        }
    }

    /// Returns the identity provider; nil if none was named. Reads its client secret now.
    ///
    /// - Parameter providerID: The provider's ID at another identity provider, which is to accept its ID token.
    func identityProvider(calledBy providerID: String? = nil) throws -> OpenIDConnect? {
        try client(calledBy: providerID).map(RemoteProviders.make)
    }

    /// Returns the app's client registration at the OpenID provider; nil if none was named.
    func client(calledBy providerID: String? = nil) throws -> OpenIDClient? {
        guard let oidc, let clientID else { return nil }
        var client = OpenIDClient(issuerURL: oidc, clientID: clientID)
        if let providerID { client.providerID = providerID }
        if !scope.isEmpty { client.scopes = scope }
        client.addsOfflineAccess = !noOfflineAccess
        client.issuerTemplate = issuerTemplate
        client.clientSecret = try clientSecret(for: oidc)
        return client
    }

    /// Returns the client secret from standard input, or from the environment.
    func clientSecret(for issuerURL: String) throws -> String? {
        clientSecretStdin ? try StandardInput.line("client secret") : ClientSecret.ofEnvironment(for: issuerURL)
    }

    /// Returns the browser settings with the path of the redirect address from these options.
    func settings(_ browser: BrowserSettings) -> BrowserSettings {
        var browser = browser
        if let redirectPath { browser.redirectPath = redirectPath }
        return browser
    }

    /// Prints the redirect address to register, if there is one, in case the provider rejects it in the browser.
    ///
    /// - Parameter address: Returns the address for the browser settings of the sign-in.
    func sayRedirectAddress(
        _ browser: BrowserSettings,
        _ address: @escaping @Sendable (BrowserSettings) async throws(AuthError) -> String?
    ) throws(AuthError) {
        let settings = settings(browser)
        let found = try result { () async throws(AuthError) in try await address(settings) }
        guard let found else { return }
        StandardError.write(
            line:
                "If the page rejects the redirect address, register \(found) for this client at the provider"
                + (browser.redirectPort == nil ? ", or give --redirect-port if it compares ports." : ".")
        )
    }

    /// Returns the interactive sign-in.
    func signIn(at identityProvider: OpenIDConnect, browser: BrowserSettings) -> any FederatedAuthProvider {
        device
            ? byCode(DeviceSignIn(identityProvider, show: Self.show), browser)
            : OpenIDSignIn(identityProvider, browser: settings(browser))
    }

    /// Returns the interactive sign-in at a plain OAuth 2 server.
    func signIn(at identityProvider: OAuth2, browser: BrowserSettings) -> any FederatedAuthProvider {
        device
            ? byCode(DeviceSignIn(identityProvider, show: Self.show), browser)
            : OAuthSignIn(identityProvider, browser: settings(browser))
    }

    private func byCode(_ signIn: DeviceSignIn, _ browser: BrowserSettings) -> DeviceSignIn {
        var signIn = signIn
        signIn.parameters = browser.parameters
        return signIn
    }

    /// Says when a session ends that cannot be refreshed, and who can change that.
    static func sayEnd(of user: User, afterRefusalOfScope isRefused: Bool = false) {
        guard user.refreshToken == nil, let end = user.validTokens?.expirationDate, end != .distantFuture else {
            return
        }
        let reason =
            isRefused
            ? "The provider refused the scope offline_access, and issued no refresh token"
            : "The provider issued no refresh token"
        StandardError.write(
            line:
                "\(reason): this session ends at \(end.formatted(.iso8601)), in all apps. To keep it longer, have the "
                + "provider's administrator allow refresh tokens (the scope offline_access) for this client, and sign in "
                + "again."
        )
    }

    private static func show(_ code: DeviceCode) {
        StandardError.write(line: "Open \(code.verificationURL.absoluteString) in a browser, and enter the code")
        StandardError.write(line: "    \(code.userCode)")
        if let complete = code.completeVerificationURL {
            StandardError.write(line: "or open \(complete.absoluteString) and compare the code.")
        }
        StandardError.sayThatItWaits()
    }
}
