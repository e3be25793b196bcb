import Foundation
import OpenIDConnect
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

/// A server of another project, and how it differs from the others. `Servers/projects` has its program.
struct ForeignProject: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether it is a plain OAuth 2 server, which issues no ID tokens, and where the app registers itself.
    var isPlain = false
    /// The options of the tool for a sign-in.
    var options: [String] = []
    /// Whether a user can enter a device code.
    var offersDeviceCodes = false
    /// The user's steps in Chromium until the browser is redirected; none if the user needs no Chromium.
    var steps: [String] = []
    /// Whether a refresh returns an ID token.
    var refreshesIDTokens = true
    /// Whether a session goes on when the server's keys change.
    var outlivesKeys = true
    /// Whether the client has no scope but `openid`.
    var hasOneScope = false
    /// Whether a refresh for fewer scopes narrows the session for good, against RFC 6749 section 6.
    var narrowsSessions = false
    /// The reason that the session outlasts a sign-out there, in the words of the tool; nil if it ends.
    var keepsSession: String?
    /// What the log says at each request to the token endpoint that succeeds.
    var exchange = "/token/? HTTP$"

    var testDescription: String { name }

    static let all = [
        ForeignProject(
            name: "canaille",
            steps: [
                "fill input[name=login] testuser\u{E007}", "until auth/password",
                "fill input[name=password] test1234\u{E007}", "until name=\"answer\"",
                "click button[value=accept]", "until Back to the app",
            ],
            refreshesIDTokens: false,
            narrowsSessions: true,
            keepsSession: "ends sessions only for a client with a secret"
        ),
        ForeignProject(
            name: "oauth_toolkit",
            narrowsSessions: true,
            keepsSession: "does not end sessions for an app"
        ),
        ForeignProject(
            name: "oauth_toolkit_plain",
            isPlain: true,
            options: ["--scope", "read", "--scope", "write"],
            refreshesIDTokens: false,
            outlivesKeys: false,
            narrowsSessions: true
        ),
        ForeignProject(name: "oidc_provider", keepsSession: "does not end sessions for an app"),
        ForeignProject(
            name: "glewlwyd",
            options: ["--scope", "openid"],
            offersDeviceCodes: true,
            refreshesIDTokens: false,
            hasOneScope: true,
            keepsSession: "ends sessions only for a client with a secret",
            exchange: "Access token generated"
        ),
        // It signs its refresh tokens with the same keys.
        ForeignProject(
            name: "idpyoidc",
            options: ["--scope", "email", "--scope", "offline_access"],
            outlivesKeys: false
        ),
        ForeignProject(name: "authlib", offersDeviceCodes: true, narrowsSessions: true),
    ]

    /// Returns the issuer URL. Cancels the test if the server does not run.
    func issuerURL() throws -> String {
        if let url = ProcessInfo.processInfo.environment["FOREIGN_\(name.uppercased())"] { return url }
        print("The story of \(name) is not run: it does not run. Tests/Scripts/foreign-servers starts it.")
        try Test.cancel("\(name) does not run")
    }

    /// Gives the administrator an order, and returns the answer.
    @discardableResult
    func order(_ name: String, _ form: String = "") async throws -> String {
        let administrator = ProcessInfo.processInfo.environment["FOREIGN_\(self.name.uppercased())_ADMINISTRATOR"]
        let origin = URL(string: try administrator ?? issuerURL())
        let url = try #require(URL(string: "/administrator/\(name)", relativeTo: origin))
        let request = HTTPRequest(
            .post,
            url.absoluteURL,
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(form.utf8)
        )
        let answer = try await HTTPClient().send(request, retrying: .never)
        try #require(answer.isSuccess, "the administrator's order \(name) failed with \(answer.status)")
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// Returns how many requests the token endpoint has had.
    func tokenRequests() throws -> Int {
        guard let folder = ProcessInfo.processInfo.environment["FOREIGN_LOGS"] else { return 0 }
        let exchange = try Regex(exchange)
        return try String(contentsOfFile: "\(folder)/\(name).log", encoding: .utf8)
            .split(separator: "\n").count { $0.contains(exchange) }
    }
}
