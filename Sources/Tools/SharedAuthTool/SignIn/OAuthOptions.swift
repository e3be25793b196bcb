internal import ArgumentParser
internal import CommandLineSupport
internal import OpenIDConnect
internal import SharedAuth

/// The options for a sign-in at a plain OAuth 2 server, beside those for any client.
struct OAuthOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Sign in at a plain OAuth 2 server that publishes metadata.", valueName: "issuer"))
    var oauth: String?

    @Option(
        name: .customLong("token-endpoint"),
        help: ArgumentHelp("Sign in at a plain OAuth 2 server without metadata.", valueName: "url")
    )
    var token: String?

    @Option(
        name: .customLong("authorization-endpoint"),
        help: ArgumentHelp("Its sign-in page, with --token-endpoint.", valueName: "url")
    )
    var authorization: String?

    @Option(
        name: .customLong("device-endpoint"),
        help: ArgumentHelp("Its endpoint for device codes, with --token-endpoint.", valueName: "url")
    )
    var deviceCode: String?

    @Option(
        name: .customLong("revocation-endpoint"),
        help: ArgumentHelp("Its endpoint for revocations, with --token-endpoint.", valueName: "url")
    )
    var revocation: String?

    @Option(
        name: .customLong("registration-endpoint"),
        help: ArgumentHelp("Its endpoint for registrations, with --token-endpoint.", valueName: "url")
    )
    var registration: String?

    @Option(help: ArgumentHelp("Register a client of this name, in place of --client-id.", valueName: "name"))
    var register: String?

    @Option(help: ArgumentHelp("A service that the tokens are for; may be repeated.", valueName: "url"))
    var resource: [String] = []

    @Option(help: ArgumentHelp("The page that describes the user, if metadata names none.", valueName: "url"))
    var userPage: String?

    @Option(
        name: .customLong("user-id"),
        help: ArgumentHelp("The member with the user's ID on that page, e.g. user.id.", valueName: "member")
    )
    var userID: String?

    /// True if a server is named.
    var isGiven: Bool { oauth != nil || token != nil }

    func validate() throws {
        if oauth != nil && token != nil { throw ValidationError("Give --oauth or --token-endpoint, not both.") }
        let endpoints = [authorization, deviceCode, revocation, registration]
        if token == nil, endpoints.contains(where: { $0 != nil }) {
            throw ValidationError("The other endpoints go with --token-endpoint <url>.")
        }
        if token != nil, userPage == nil { throw ValidationError("--token-endpoint needs --user-page <url>.") }
        if userID != nil, userPage == nil { throw ValidationError("--user-id goes with --user-page <url>.") }
        if !isGiven, register != nil || userPage != nil || !resource.isEmpty {
            throw ValidationError(
                "--register, --resource and --user-page go with --oauth <issuer> or --token-endpoint <url>."
            )
        }
    }

    /// Returns the option for the endpoint that a sign-in needs at a server without metadata; nil if it is given.
    ///
    /// - Parameter isByCode: True for a sign-in with a code on another device.
    func lackingEndpoint(isByCode: Bool) -> String? {
        guard token != nil, (isByCode ? deviceCode : authorization) == nil else { return nil }
        return isByCode ? "--device-endpoint" : "--authorization-endpoint, or --device and --device-endpoint"
    }

    /// Returns the identity provider; nil if no server is named. Reads its client secret now.
    ///
    /// - Parameter options: The options for any client.
    func identityProvider(_ options: ClientOptions) throws -> OAuth2? {
        guard isGiven else { return nil }
        var client: OAuthClient
        if let register {
            client = OAuthClient(
                server,
                registering: OAuthRegistration(clientName: register),
                scopes: options.scope
            )
        } else {
            client = OAuthClient(
                server,
                clientID: options.clientID ?? "",
                clientSecret: try options.clientSecret(for: server.url),
                scopes: options.scope
            )
        }
        client.resources = resource
        return OAuth2(client)
    }

    private var server: OAuthServer {
        let user = userPage.map { OAuthUser.userInfo(at: $0, uid: userID) } ?? .published
        guard let token else { return OAuthServer(issuerURL: oauth ?? "", user: user) }
        return OAuthServer(
            authorizationEndpoint: authorization,
            tokenEndpoint: token,
            deviceEndpoint: deviceCode,
            revocationEndpoint: revocation,
            registrationEndpoint: registration,
            user: user
        )
    }
}
