import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import SharedAuthTool

/// Tests sign-ins whose browser is on another machine, where it cannot open its last page.
struct BrowserElsewhereTests {
    private let tool: Shell
    private let site: FirebaseSite
    private let issuer: SmallIssuer

    init() throws {
        tool = try Shell()
        site = try FirebaseSite(in: tool.keyring)
        issuer = try site.serveIssuer()
    }

    private func arguments(_ options: [String]) -> [String] {
        ["sign-in", "--oidc", issuer.url, "--client-id", "desktop"] + options + tool.identity
    }

    /// The parameters of the sign-in page whose address is in a text.
    private func page(in text: String) throws -> [String: String] {
        let address = try #require(text.split(whereSeparator: \.isWhitespace).first { $0.contains("/authorize?") })
        let items = URLComponents(string: String(address))?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    /// Lets the issuer accept any code for a sign-in, and returns the address of its redirect.
    private func redirect(_ query: [String: String], code: String = "C0DE") throws -> String {
        let tokens = try issuer.tokens(nonce: query["nonce"] ?? "")
        try site.answer(
            "exchange",
            tokens.replacing("\"token_type\"", with: "\"refresh_token\": \"r\", \"token_type\"")
        )
        return "\(query["redirect_uri"] ?? "")?code=\(code)&state=\(query["state"] ?? "")"
    }

    @Test(
        "On a terminal an address is pasted unseen; a wrong one is explained",
        arguments: [10, 20_000]
    )
    func terminal(length: Int) throws {
        let terminal = try Terminal(BuiltProducts.executable("sharedauth"), arguments([]), in: tool.keyring)
        try terminal.await("paste the address of that page here")
        let query = try page(in: terminal.shown)
        let code = "C0DE" + String(repeating: "x", count: length)
        let address = try redirect(query, code: code)
        try terminal.await("\n")
        // The reader hides the input after the line.
        try terminal.type("http://127.0.0.1/other?code=\(code)\r")
        try terminal.await("This is not the address that the browser was redirected to")
        #expect(!terminal.showsTyping)
        try terminal.type("\(address.replacing("state=", with: "state=x"))\r")
        try terminal.await("The redirect belongs to another sign-in")
        try terminal.type("garbage\u{15}\(address)\u{7F}\(address.suffix(1))\r")
        let (status, shown) = try terminal.end()
        #expect(status == 0, "\(shown)")
        #expect(!shown.contains("C0DE"))
        #expect(try tool("whoami").standardOutput == "ada\n")
    }

    @Test("Ctrl-C and Ctrl-D leave the terminal as it was")
    func shownAgain() throws {
        let script = #"trap : INT; "$@"; stty -a | grep -o -w -e -icanon -e icanon | sed "s/^/after: /"; read -r _"#
        let program = try BuiltProducts.executable("sharedauth")
        let terminal = try Terminal("/bin/sh", ["-c", script, "sh", program] + arguments([]), in: tool.keyring)
        try terminal.await("it is not shown.")
        try terminal.await("\n")
        try terminal.type("\u{4}\u{3}")
        try terminal.await("after: icanon")
        try terminal.type("\r")
        _ = try terminal.end()
    }

    @Test("Without a terminal, --paste reads addresses from standard input")
    func standardInput() throws {
        let fifo = TestDirectory.newPath()
        #expect(try tool.keyring.run("mkfifo", [fifo]).status == 0)
        let program = try BuiltProducts.executable("sharedauth")
        let call = ["-c", #"fifo=$1; shift; exec "$@" <>"$fifo" 2>&1"#, "sh", fifo, program]
        let signIn = try RunningProgram(path: "/bin/sh", call + arguments(["--paste", "--json"]), in: tool.keyring)
        var shown = ""
        while !shown.contains("Waiting for the sign-in") { shown += try signIn.line() + "\n" }
        let address = try redirect(try page(in: shown))
        func paste(_ text: String) throws {
            #expect(
                try tool.keyring.run("/bin/sh", ["-c", #"printf '%s\n' "$1" >"$2""#, "sh", text, fifo]).status == 0
            )
        }
        try paste("\nhttps://evil.example/?code=C0DE")
        while !shown.contains("This is not the address") { shown += try signIn.line() + "\n" }
        try paste(address)
        while !shown.contains(#""uid":"ada""#) { shown += try signIn.line() + "\n" }
        #expect(!shown.contains("C0DE"))
        #expect(signIn.process.wait() == 0)
    }

    @Test("Over SSH the tool shows the tunnel with the real port, and the other ways")
    func overSSH() throws {
        let terminal = try Terminal(
            BuiltProducts.executable("sharedauth"),
            arguments([]),
            in: tool.keyring,
            environment: ["SSH_CONNECTION": "192.0.2.1 50000 192.0.2.7 2222"]
        )
        try terminal.await("it is not shown.")
        let redirect = try #require(URLComponents(string: try page(in: terminal.shown)["redirect_uri"] ?? ""))
        let port = try #require(redirect.port)
        let text = terminal.shown.replacing("\n", with: "")
        #expect(text.contains("ssh -N -L \(port):127.0.0.1:\(port) -p 2222 192.0.2.7"), "\(text)")
        #expect(text.contains("--device"))
        try terminal.type("\u{3}")
        _ = try terminal.end()
    }

    @Test(
        "The signs of a place name it",
        arguments: [
            ([:], [], []),
            (["SSH_CONNECTION": "::1 1 fe80::1%eth0 22"], [], [Whereabouts.ssh(address: "fe80::1%eth0", port: "22")]),
            (["SSH_CONNECTION": "1 2 $(reboot) 22"], [], [.ssh(address: "HOST", port: "22")]),
            (["SSH_CONNECTION": ""], [], [.ssh(address: "HOST", port: "22")]),
            (["SSH_TTY": "/dev/pts/1"], [], [.ssh(address: "HOST", port: "22")]),
            (["WSL_DISTRO_NAME": "Ubuntu"], [], [.windows]), ([:], ["/proc/sys/fs/binfmt_misc/WSLInterop"], [.windows]),
            ([:], ["/run/.containerenv"], [.container]), ([:], ["/.dockerenv"], [.container]),
            (["container": "podman"], [], [.container]), (["container": "flatpak"], [], []),
            (["REMOTE_CONTAINERS": "true", "SSH_TTY": "x"], [], [.ssh(address: "HOST", port: "22"), .container]),
        ] as [([String: String], [String], [Whereabouts])]
    )
    func places(_ variables: [String: String], _ files: [String], _ places: [Whereabouts]) {
        #expect(Whereabouts.all({ variables[$0] }, hasFile: files.contains) == places)
        for place in places {
            let hint = place.hint(port: 40123, canPaste: false, canUseCode: true)
            #expect(hint.contains("40123") && hint.contains("--paste") && hint.contains("--device"))
        }
    }

    @Test("The options of the request are in the address of the page")
    func parameters() throws {
        let options = [
            "--scope", "openid", "--scope", "offline_access", "--parameter", "audience=https://api.example/?a=b",
            "--parameter", "login_hint=", "--redirect-host", "localhost", "--redirect-port", "\(try site.freePort())",
        ]
        for prompt in [nil, "login"] {
            let more = prompt.map { ["--prompt", $0] } ?? []
            let terminal = try Terminal(
                BuiltProducts.executable("sharedauth"),
                arguments(options + more),
                in: tool.keyring
            )
            try terminal.await("it is not shown.")
            let query = try page(in: terminal.shown)
            #expect(query["scope"] == "openid offline_access" && query["prompt"] == prompt ?? "consent")
            #expect(query["audience"] == "https://api.example/?a=b" && query["login_hint"] == nil)
            #expect(query["redirect_uri"]?.hasPrefix("http://localhost:") == true)
            try site.visit(try redirect(query))
            let (status, shown) = try terminal.end()
            #expect(status == 0, "\(shown)")
        }
    }

    @Test(
        "Options that cannot be are usage errors",
        arguments: [
            ["--parameter", "state=x"], ["--parameter", "redirect_uri=x"], ["--parameter", "x"], ["--parameter", "=x"],
            ["--parameter", "a=1", "--parameter", "a=2"], ["--prompt", "login", "--parameter", "prompt=none"],
            ["--redirect-host", "evil.example"], ["--device", "--paste"],
        ]
    )
    func usage(_ options: [String]) throws {
        let result = try tool.bare(arguments(options))
        #expect(result.status == 64, "\(result.standardError)")
    }

    @Test("An address is pasted after a sign-in by browser only, also to link", arguments: ["sign-in", "link"])
    func pasted(_ verb: String) throws {
        let service = ["--provider", "oidc.company"] + (verb == "link" ? [] : ["--firebase", "--api-key", "key"])
        let options = ["--oidc", issuer.url, "--client-id", "desktop", "--device", "--paste"]
        let result = try tool.bare([verb] + service + options + tool.identity)
        #expect(result.status == 64, "\(result.standardError)")
        #expect(result.standardError.contains("--paste goes with a sign-in by browser."), "\(result.standardError)")
    }

    @Test("A session without a refresh token is told at the sign-in, and by doctor")
    func noRefreshToken() throws {
        let terminal = try Terminal(BuiltProducts.executable("sharedauth"), arguments([]), in: tool.keyring)
        try terminal.await("it is not shown.")
        let query = try page(in: terminal.shown)
        try site.answer("exchange", try issuer.tokens(nonce: query["nonce"] ?? ""))
        try site.visit("\(query["redirect_uri"] ?? "")?code=C0DE&state=\(query["state"] ?? "")")
        let (status, shown) = try terminal.end()
        #expect(status == 0)
        let text = shown.replacing("\n", with: "")
        #expect(text.contains("The provider issued no refresh token: this session ends at 20"), "\(text)")
        #expect(text.contains("allow refresh tokens (the scope offline_access)"))
        let doctor = try tool("doctor")
        #expect(doctor.standardOutput.contains("warning  refresh"), "\(doctor.standardOutput)")
    }

    @Test("A refused redirect is told on the terminal")
    func refusedRedirect() throws {
        let terminal = try Terminal(BuiltProducts.executable("sharedauth"), arguments([]), in: tool.keyring)
        try terminal.await("it is not shown.")
        let query = try page(in: terminal.shown)
        try site.visit("\(query["redirect_uri"] ?? "")?code=C0DE&state=other")
        try terminal.await("A redirect was refused. The redirect belongs to another sign-in")
        try site.visit(try redirect(query))
        #expect(try terminal.end().status == 0)
    }
}
