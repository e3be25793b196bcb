import TestSupport
import Testing

/// Tests that the scripts that pass a token on do what the transcripts in their README show.
struct TokenScriptTests {
    private let keyring: PrivateKeyring
    private let folder = ScriptFolder("hand-*")
    private let server: RunningProgram
    private let port: String

    init() throws {
        keyring = try PrivateKeyring()
        server = try RunningProgram(
            path: "/usr/bin/env",
            [
                "PATH=\(try ScriptFolder.path())", "SHAREDAUTH_APP_ID=com.example.Mail", "/usr/bin/python3", "-c",
                Self.server,
            ],
            in: keyring
        )
        port = try server.line()
    }

    @Test("The output of the commands is that of each transcript in the README", arguments: [0, 1])
    func transcript(_ number: Int) throws {
        let transcript = try #require(try folder.transcripts().dropFirst(number).first)
        let commands = ScriptFolder.commands(of: transcript)
        #expect(commands.count >= 2)
        if number == 1 { #expect(try run(["sharedauth sign-in --anonymous >sign-in.txt"]).status == 0) }
        let result = try run(commands)
        #expect(result.standardOutput == transcript + "\n")
        #expect(result.standardError.isEmpty)
        keyring.shutdown()
    }

    @Test("Without a user, kubectl's configuration is not changed")
    func nobodyForKubectl() throws {
        let result = try run(["./hand-token-to-kubectl", "echo $?", "ls"])
        let complaint = "sharedauth: No user is signed in to the app's own slot. Sign in first."
        #expect(
            result.standardOutput
                == "$ ./hand-token-to-kubectl\n\(complaint)\n$ echo $?\n67\n$ ls\n"
                + "hand-token-to-curl\nhand-token-to-kubectl\nkubectl\n"
        )
        keyring.shutdown()
    }

    @Test("If a server refuses the token, curl fails and prints the server's response")
    func refusedToken() throws {
        #expect(try run(["sharedauth sign-in --anonymous >sign-in.txt"]).status == 0)
        let result = try run([
            "./hand-token-to-curl https://api.example.com/hello --header 'Authorization: Bearer x' >answer; echo $?",
            "cat answer",
        ])
        #expect(result.standardOutput.contains("error: 401\n22\n$ cat answer\nWho are you?\n"), "\(result)")
        keyring.shutdown()
    }

    @Test(
        "A token is sent to other machines only by https, and a URL cannot be an option",
        arguments: ["http://evil.example/", "http://127.0.0.1:80@evil.example/", "--config", "ftp://127.0.0.1/"]
    )
    func unprotected(_ url: String) throws {
        #expect(try run(["sharedauth sign-in --anonymous >sign-in.txt"]).status == 0)
        let result = try run(["./hand-token-to-curl \(url); echo $?"])
        #expect(result.standardOutput.hasSuffix("does not begin with https://.\n64\n"), "\(result)")
        keyring.shutdown()
    }

    /// Runs commands in a copy of the folder, with the stub as kubectl.
    private func run(_ commands: [String]) throws -> ProcessResult {
        try folder.run(
            commands,
            prepared: """
                install -m 755 /dev/stdin kubectl
                export SHAREDAUTH_APP_ID=com.example.Mail STUB_SERVER=http://127.0.0.1:\(port)
                """,
            replacing: ["https://api.example.com": "http://127.0.0.1:\(port)"],
            input: Self.kubectlStub,
            in: keyring
        )
    }

    /// A server that accepts requests with the signed-in user's token in the header. It prints its port.
    private static let server = """
        import http.server, subprocess
        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                token = subprocess.run(["sharedauth", "token"], capture_output=True, text=True).stdout.strip()
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                headers = self.headers.get_all("Authorization")
                known = bool(token) and headers == ["Bearer " + token]
                self.send_response(200 if known else 401)
                self.end_headers()
                text = ("Noted: " + body if body else "Hello, you are signed in.") if known else "Who are you?"
                self.wfile.write((text + "\\n").encode())
            do_GET = do_POST = answer
            def log_message(self, *arguments): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    /// A stub for kubectl with the commands that the script and the transcript need. It stores the user's
    /// configuration. For a request, it runs the program as kubectl does, checks the credential, and sends its token.
    private static let kubectlStub = """
        #!/usr/bin/env python3
        import datetime, json, os, subprocess, sys
        arguments = sys.argv[1:]
        if arguments[:2] == ["config", "set-credentials"]:
            options = [option.split("=", 1) for option in arguments[3:]]
            with open("kubeconfig.json", "w") as file: json.dump(options, file)
            print(f'User "{arguments[2]}" set.')
        elif arguments[:2] == ["config", "set-context"]:
            assert arguments[2:] == ["--current", "--user=sharedauth"], arguments
            print('Context "staging" modified.')
        elif arguments[:2] == ["get", "--raw"]:
            with open("kubeconfig.json") as file: options = json.load(file)
            version = [value for name, value in options if name == "--exec-api-version"][0]
            command = [value for name, value in options if name in ("--exec-command", "--exec-arg")]
            asked = {"apiVersion": version, "kind": "ExecCredential", "spec": {"interactive": False}}
            environment = dict(os.environ, KUBERNETES_EXEC_INFO=json.dumps(asked))
            answer = json.loads(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)
            assert sorted(answer) == ["apiVersion", "kind", "status"], answer
            assert (answer["apiVersion"], answer["kind"]) == (version, "ExecCredential"), answer
            status = answer["status"]
            assert sorted(status) == ["expirationTimestamp", "token"], status
            expiry = datetime.datetime.strptime(status["expirationTimestamp"], "%Y-%m-%dT%H:%M:%SZ")
            assert expiry > datetime.datetime.utcnow(), status
            header = "Authorization: Bearer " + status["token"]
            os.execvp("curl", ["curl", "--silent", "--header", header, os.environ["STUB_SERVER"] + arguments[2]])
        else:
            sys.exit(f"The stub cannot do that: {arguments}")
        """
}
