internal import ArgumentParser
internal import CommandLineSupport
internal import DesktopSupport
internal import FoundationEssentials
internal import SharedAuth

/// Prints a token of the current user, in a form for other programs.
struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "token",
        abstract: "Print the ID token, or an access token, refreshed if need be.",
        usage: """
            sharedauth token [--force-refresh] [--header] [--exec-credential]
            sharedauth token --access [--scope <scope> ...] [--force-refresh]
            """,
        discussion: """
            Without --json, --header or --exec-credential, it prints the token and nothing else. Only one of them can be given.
            """,
        examples: [
            "sharedauth token --header | curl --header @- https://api.example.com/hello",
            "sharedauth token --json --force-refresh",
        ]
    )

    @Flag(help: "Get a new token even if the present one is still valid.")
    var forceRefresh = false

    @Flag(help: "Print an access token instead.")
    var access = false

    @Option(help: ArgumentHelp("A scope of the access token; may be repeated.", valueName: "scope"))
    var scope: [String] = []

    @Flag(help: "Print it as a line 'Authorization: Bearer ...', which 'curl --header @-' reads.")
    var header = false

    @Flag(
        help: """
            Print it as an ExecCredential, which kubectl reads; of the version that the variable KUBERNETES_EXEC_INFO asks \
            for, else v1.
            """
    )
    var execCredential = false

    @Option(help: ArgumentHelp("Fail unless this is the issuer.", valueName: "issuer"))
    var issuer: String?

    @Option(help: ArgumentHelp("Fail unless the ID token is for this audience.", valueName: "audience"))
    var audience: String?

    @Option(help: ArgumentHelp("Fail unless this is the user.", valueName: "uid"))
    var uid: String?

    @OptionGroup(visibility: .ofSharedOptions) var app: AppOptions

    func validate() throws {
        guard [app.json, header, execCredential].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give one of --json, --header and --exec-credential.")
        }
        if audience != nil && access { throw ValidationError("--audience goes with an ID token, without --access.") }
        if !scope.isEmpty && !access { throw ValidationError("--scope goes with --access.") }
        if execCredential { _ = try credentialVersion() }
    }

    func run() throws {
        let auth = try app.auth()
        let token =
            access
            ? try CurrentToken(accessOf: auth, for: Set(scope), forcingRefresh: forceRefresh)
            : try CurrentToken(of: auth, forcingRefresh: forceRefresh)
        try check(token)
        try StandardOutput.write(line: try line(token))
    }

    /// Checks the token against the options, since another app of the access group may have switched the user.
    private func check(_ token: CurrentToken) throws {
        func refuse(_ what: String, _ option: String) -> ToolError {
            ToolError(
                .refused,
                "The current user's token is \(what) than \(option) says, and was not printed.",
                name: "otherToken",
                remedy: "Sign in as that user, or leave the option out."
            )
        }
        if let issuer, token.issuer != issuer { throw refuse("of another issuer", "--issuer") }
        if let uid, token.uid != uid { throw refuse("of another user", "--uid") }
        if let audience, !token.audiences.contains(audience) { throw refuse("for another audience", "--audience") }
    }

    private func credentialVersion() throws -> String {
        try ExecCredential.version(askedFor: Environment["KUBERNETES_EXEC_INFO"])
    }

    private func line(_ token: CurrentToken) throws -> String {
        if execCredential { return try ExecCredential.json(token, version: try credentialVersion()).text }
        if header { return "Authorization: Bearer \(token.text)" }
        return app.json ? try json(token).text : token.text
    }

    private func json(_ token: CurrentToken) -> JSONValue {
        .object([
            "token": .string(token.text),
            "expiry": token.expires ? .number(Double(token.expiry)) : .null,
            "issuer": JSONValue(token.issuer),
            "uid": .string(token.uid),
        ])
    }
}

/// A token in the format that kubectl and other Kubernetes clients read from a program that they run.
private enum ExecCredential {
    private static let group = "client.authentication.k8s.io"

    /// The members of `KUBERNETES_EXEC_INFO` that the tool uses.
    private struct Request: Decodable {
        let apiVersion: String
        let kind: String
    }

    /// Returns the version that kubectl requests; v1 by default.
    static func version(askedFor text: String?) throws -> String {
        guard let text else { return "\(group)/v1" }
        guard let request = try? UntrustedJSON.decode(Request.self, from: text.utf8),
            request.kind == "ExecCredential"
        else {
            throw ValidationError(
                "KUBERNETES_EXEC_INFO holds no ExecCredential. Let kubectl set it, or unset it."
            )
        }
        guard ["\(group)/v1", "\(group)/v1beta1"].contains(request.apiVersion) else {
            throw ValidationError(
                "KUBERNETES_EXEC_INFO asks for \(request.apiVersion), and only \(group)/v1 and v1beta1 are known. "
                    + "Set the apiVersion of exec to \(group)/v1 in kubectl's configuration."
            )
        }
        return request.apiVersion
    }

    /// Returns the token, with its expiry if it expires.
    private static func status(of token: CurrentToken) -> [String: JSONValue] {
        var status: [String: JSONValue] = ["token": .string(token.text)]
        if token.expires { status["expirationTimestamp"] = .string(token.expirationDate.formatted(.iso8601)) }
        return status
    }

    static func json(_ token: CurrentToken, version: String) -> JSONValue {
        .object([
            "apiVersion": .string(version),
            "kind": .string("ExecCredential"),
            "status": .object(status(of: token)),
        ])
    }
}
