import Foundation
import SharedAuth
import TestSupport
import Testing

@Suite("Secrets in the tool's environment")
struct ClientSecretTests {
    private let tool: Shell
    private let firebase: FirebaseSite
    private let issuer: SmallIssuer

    init() throws {
        tool = try Shell()
        firebase = try FirebaseSite(in: tool.keyring)
        issuer = try firebase.serveIssuer()
        let configuration =
            issuer.configuration.dropLast()
            + #", "token_endpoint_auth_methods_supported": ["client_secret_post"]}"#
        try firebase.answer("openid-configuration", String(configuration))
    }

    /// The forms that the token endpoint received.
    private var forms: [String] { get throws { try firebase.requests.filter { $0.contains(" exchange ") } } }

    /// Signs in by browser, with these environment variables, and returns the output.
    private func signIn(_ environment: [String]) throws -> String {
        let arguments = ["sign-in", "--oidc", issuer.url, "--client-id", "desktop"] + tool.identity
        let terminal = try Terminal(
            "/usr/bin/env",
            environment + [BuiltProducts.executable("sharedauth")] + arguments,
            in: tool.keyring
        )
        try terminal.await("Waiting for the sign-in")
        let page = try #require(
            terminal.shown.split(whereSeparator: \.isWhitespace).first { $0.contains("/authorize?") }
        )
        let items = URLComponents(string: String(page))?.queryItems ?? []
        let query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
        let tokens = try issuer.tokens(nonce: query["nonce"] ?? "")
        let answer = tokens.replacing("\"token_type\"", with: "\"refresh_token\": \"r\", \"token_type\"")
        try firebase.answer("exchange", String(answer))
        try firebase.visit("\(query["redirect_uri"] ?? "")?code=C&state=\(query["state"] ?? "")")
        let (status, shown) = try terminal.end()
        #expect(status == 0, "\(shown)")
        return shown
    }

    @Test("A client secret is sent only to its named issuer, also for a stored session")
    func oneIssuer() throws {
        let secret = "SHAREDAUTH_CLIENT_SECRET=hush"
        for (named, isSent) in [(issuer.url, true), ("https://other.example", false)] {
            let environment = [secret, "SHAREDAUTH_CLIENT_SECRET_ISSUER=\(named)"]
            _ = try signIn(environment)
            #expect(try #require(forms.last).contains("client_secret=hush") == isSent)
            let count = try forms.count
            _ = try tool.bare(["token", "--force-refresh"] + tool.identity, environment: environment)
            #expect(try forms.count == count + 1)
            #expect(try #require(forms.last).contains("grant_type=refresh_token"))
            #expect(try #require(forms.last).contains("client_secret=hush") == isSent)
        }
    }

    @Test("A client secret without its issuer is not sent; a message says what is missing")
    func withoutIssuer() throws {
        #expect(try signIn(["SHAREDAUTH_CLIENT_SECRET=hush"]).contains("SHAREDAUTH_CLIENT_SECRET_ISSUER"))
        #expect(try #require(forms.last).contains("hush") == false)
    }

    @Test("The browser receives no secret from the tool's environment")
    func browser() throws {
        let folder = "\(tool.keyring.directory)/browser-\(tool.project)"
        let script =
            "mkdir '\(folder)'; mkfifo '\(folder)/fifo'; printf '%s\\n' '#!/bin/sh' \"env >'\(folder)/fifo'\" "
            + ">'\(folder)/xdg-open'; chmod +x '\(folder)/xdg-open'"
        #expect(try tool.keyring.run("/bin/sh", ["-c", script]).status == 0)
        let secrets = [
            "SHAREDAUTH_CLIENT_SECRET", "SHAREDAUTH_PASS_STATEMENT", "SHAREDAUTH_ID_TOKEN",
            "SHAREDAUTH_ID_TOKEN_EXPIRY",
            "API_TOKEN", "API_TOKEN_EXPIRY",
        ]
        let environment =
            secrets.map { "\($0)=hush" } + [
                "SHAREDAUTH_TOKEN_VARIABLES=API_TOKEN", "PATH=\(folder):/usr/bin:/bin", "OTHER=stays",
            ]
        let arguments = ["sign-in", "--oidc", issuer.url, "--client-id", "desktop"] + tool.identity
        let terminal = try Terminal(
            "/usr/bin/env",
            environment + [BuiltProducts.executable("sharedauth")] + arguments,
            in: tool.keyring
        )
        let seen = try tool.keyring.run("cat", ["\(folder)/fifo"]).standardOutput
        #expect(seen.contains("OTHER=stays"))
        #expect(!seen.contains("hush") && !seen.contains("SHAREDAUTH_TOKEN_VARIABLES"))
        try terminal.type("\u{3}")
        _ = try terminal.end()
    }

    @Test("The tool disables core dumps; its commands have the original limit")
    func coreDumps() throws {
        #expect(try tool("sign-in", "--anonymous").status == 0)
        let program = try BuiltProducts.executable("sharedauth")
        let limits = try tool.keyring.run(
            "/bin/bash",
            ["-c", #"ulimit -S -c 4096; exec "$@""#, "bash", program, "run"] + tool.identity + [
                "--", "/bin/bash", "-c", "ulimit -S -c",
            ]
        )
        #expect(limits.standardOutput == "4096\n")
        let watch = try RunningProgram(
            path: "/bin/bash",
            ["-c", #"ulimit -S -c 4096; exec "$@""#, "bash", program, "watch", "--exec", look] + tool.identity,
            in: tool.keyring
        )
        #expect(try watch.line() == "4096")
        #expect(try watch.line().split(separator: " ").dropFirst(4).first == "1")
    }

    /// A command that prints its own limit, in blocks of 1,024 bytes, and then the tool's, in bytes.
    private var look: String { "bash -c 'ulimit -S -c'; grep core /proc/$PPID/limits" }

    @Test("A command of run receives the token from run, and no other secret")
    func run() throws {
        #expect(try tool("sign-in", "--anonymous").status == 0)
        let environment = [
            "SHAREDAUTH_CLIENT_SECRET=hush", "SHAREDAUTH_PASS_STATEMENT=hush", "SHAREDAUTH_ID_TOKEN=hush", "OLD=hush",
            "SHAREDAUTH_TOKEN_VARIABLES=OLD", "OTHER=stays",
        ]
        let words = ["run", "--env", "NEW"] + tool.identity + ["--", "env"]
        let lines = try tool.bare(words, environment: environment).standardOutput.split(separator: "\n")
        #expect(lines.contains("OTHER=stays") && lines.contains("SHAREDAUTH_TOKEN_VARIABLES=NEW"))
        #expect(lines.contains { $0.hasPrefix("NEW=ey") } && !lines.contains { $0.contains("hush") })
    }
}
