import Foundation
import SecretService
import SharedAuth
import TestSupport
import Testing

struct TokenTests {
    @Test("token prints only the ID token")
    func idTokenOnly() throws {
        let tool = try Shell()
        let nobody = try tool("token")
        #expect(nobody.status == 67)
        #expect(nobody.standardOutput.isEmpty)
        #expect(nobody.hasOneLineOfComplaint)
        _ = try tool("sign-in", "--anonymous")
        let token = try tool("token")
        #expect(token.status == 0)
        #expect(token.standardOutput.split(separator: ".").count == 3)
        #expect(token.standardOutput.split(separator: "\n").count == 1)
        #expect(try tool("token").standardOutput == token.standardOutput)
        let forced = try tool("token", "--force-refresh")
        #expect(forced.status == 0)
        #expect(forced.standardOutput != token.standardOutput)
        #expect(try tool("token").standardOutput == forced.standardOutput)
    }

    @Test("With --json, token prints the token with its expiry, issuer and uid")
    func json() throws {
        let tool = try Shell()
        let uid = try #require(try tool("sign-in", "--anonymous", "--json").uid)
        let token = String(try tool("token").standardOutput.dropLast())
        let claims = try claims(of: token)
        let expiry = try #require(claims["exp"]?.number.flatMap(Int.init(exactly:)))
        let issuer = try #require(claims["iss"]?.string)
        let result = try tool("token", "--json")
        #expect(result.status == 0)
        #expect(
            result.standardOutput
                == #"{"expiry":\#(expiry),"issuer":"\#(issuer)","token":"\#(token)","uid":"\#(uid)"}"# + "\n"
        )
        #expect(result.standardError.isEmpty)
    }

    @Test("A token of a user, issuer or audience other than the given one is not printed")
    func pinned() throws {
        let tool = try Shell()
        let uid = try #require(try tool("sign-in", "--anonymous", "--json").uid)
        let token = String(try tool("token").standardOutput.dropLast())
        let claims = try claims(of: token)
        let issuer = try #require(claims["iss"]?.string)
        let audience = try #require(claims["aud"]?.string)
        let right = try tool("token", "--uid", uid, "--issuer", issuer, "--audience", audience)
        #expect(right.standardOutput == "\(token)\n")
        for option in ["--uid", "--issuer", "--audience"] {
            let wrong = try tool("token", option, "other")
            #expect(wrong.status == 77 && wrong.standardOutput.isEmpty && wrong.hasOneLineOfComplaint)
            #expect(wrong.standardError.contains(option))
        }
    }

    @Test("With --header, the token is one header line for curl")
    func header() throws {
        let tool = try Shell()
        #expect(try tool("token", "--header").status == 67)
        _ = try tool("sign-in", "--anonymous")
        let token = try tool("token").standardOutput
        #expect(try tool("token", "--header").standardOutput == "Authorization: Bearer \(token)")
    }

    @Test(
        "An ExecCredential has the version that kubectl requests",
        arguments: [
            (nil, "v1"), ("", "v1"),
            (
                #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":true}}"#,
                "v1"
            ),
            (#"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"}"#, "v1beta1"),
        ]
    )
    func execCredential(_ asked: String?, _ version: String) throws {
        let tool = try Shell()
        _ = try tool("sign-in", "--anonymous")
        let token = try tool("token").standardOutput.dropLast()
        let expiry = try #require(try claims(of: String(token))["exp"]?.number)
        let timestamp = Date(timeIntervalSince1970: expiry).formatted(.iso8601)
        let environment = asked.map { ["KUBERNETES_EXEC_INFO=\($0)"] } ?? []
        let result = try tool.bare(["token", "--exec-credential"] + tool.identity, environment: environment)
        #expect(result.status == 0)
        #expect(
            result.standardOutput
                == #"{"apiVersion":"client.authentication.k8s.io/\#(version)","kind":"ExecCredential","#
                + #""status":{"expirationTimestamp":"\#(timestamp)","token":"\#(token)"}}"# + "\n"
        )
        #expect(result.standardError.isEmpty)
    }

    @Test(
        "An unknown request by kubectl exits with status 64",
        arguments: [
            (#"{"apiVersion":"client.authentication.k8s.io/v1alpha1","kind":"ExecCredential"}"#, "v1alpha1"),
            (#"{"apiVersion":"client.authentication.k8s.io/v1","kind":"Other"}"#, "no ExecCredential"),
            ("{", "no ExecCredential"), ("[]", "no ExecCredential"),
        ]
    )
    func unknownCredential(_ asked: String, _ complaint: String) throws {
        let tool = try Shell()
        _ = try tool("sign-in", "--anonymous")
        let result = try tool.bare(
            ["token", "--exec-credential"] + tool.identity,
            environment: ["KUBERNETES_EXEC_INFO=\(asked)"]
        )
        #expect(result.status == 64)
        #expect(result.standardOutput.isEmpty)
        #expect(result.standardError.contains(complaint))
    }

    @Test(
        "Two output formats together exit with status 64",
        arguments: [["--json", "--header"], ["--header", "--exec-credential"], ["--json", "--exec-credential"]]
    )
    func twoForms(_ forms: [String]) throws {
        let tool = try Shell()
        let result = try tool.bare(["token"] + forms + tool.identity)
        #expect(result.status == 64)
        let complaint = "Give one of --json, --header and --exec-credential."
        #expect(result.standardError.contains(complaint))
        #expect(result.standardError.hasPrefix(forms.contains("--json") ? "{\"error\":" : "Error: "))
    }

    @Test(
        "An unwritable token exits with status 74, with no message if the reader is gone",
        arguments: [[], ["--json"], ["--header"], ["--exec-credential"]]
    )
    func unwritable(_ form: [String]) throws {
        let tool = try Shell()
        _ = try tool("sign-in", "--anonymous")
        let call = [try BuiltProducts.executable("sharedauth"), "token"] + form + tool.identity
        let full = try tool.keyring.run("/bin/sh", ["-c", #"exec "$@" >/dev/full"#, "sh"] + call)
        #expect(full.status == 74)
        #expect(full.hasOneLineOfComplaint)
        let pipe = #"pipe(R, W); open(STDOUT, ">&W"); close(R); close(W); exec @ARGV"#
        let gone = try tool.keyring.run("perl", ["-e", pipe] + call)
        #expect(gone.status == 74)
        #expect(gone.standardError.isEmpty)
    }

    private func claims(of token: String) throws -> JSONValue {
        let part = try #require(token.split(separator: ".").dropFirst().first)
        let padding = String(repeating: "=", count: (4 - part.count % 4) % 4)
        let text = String(part).replacing("-", with: "+").replacing("_", with: "/") + padding
        return try JSONDecoder().decode(JSONValue.self, from: try #require(Data(base64Encoded: text)))
    }

    @Test("Refreshing another issuer's user exits with status 77 and signs no user out")
    func otherIssuer()
        throws
    {
        let tool = try Shell()
        let account = Account(
            profile: UserProfile(uid: "x"),
            tokens: .scripted("x", "1"),
            project: tool.project,
            issuer: "https://company.example"
        )
        let payload = try UserRecord().signingIn(account).encoded()
        let service = tool.keyring.makeService()
        let key = RecordKey(
            scope: .group(Shell.group),
            project: tool.project,
            instance: AuthApp.defaultName,
            kind: "user"
        )
        try SecretServiceRecordStore(service).update(key, by: .after(.seconds(10))) { _ in .write(payload) }
        #expect(try tool("use-group", Shell.group).status == 0)
        let forced = try tool("token", "--force-refresh")
        #expect(forced.status == 77)
        #expect(forced.hasOneLineOfComplaint)
        #expect(try tool("token").standardOutput == "x/id/1\n")
        #expect(try tool("status", "--json").uid == "x")
        #expect(try tool("sign-out").status == 0)
        #expect(try tool("stored-user", "--group", Shell.group, "--json").uid == nil)
    }

    @Test("No other verb prints a token or a password")
    func noOtherVerb() throws {
        let tool = try Shell()
        _ = try tool("use-group", Shell.group)
        let watch = try RunningProgram("sharedauth", ["watch", "--json"] + tool.identity, in: tool.keyring)
        var printed = try [watch.line()]
        let verbs: [[String]] = [
            ["sign-in", "--email", "ada@example.com", "--password-stdin", "--create"], ["status"],
            ["stored-user", "--group", Shell.group], ["update-current-user", "--from-group", Shell.group],
            ["use-group", Shell.group],
        ]
        for verb in verbs {
            for format in [[], ["--json"]] where format.isEmpty || !verb.contains("--create") {
                let result = try tool.keyring.run(
                    BuiltProducts.executable("sharedauth"),
                    verb + format + tool.identity,
                    input: "a good password\n"
                )
                #expect(result.status == 0)
                printed += [result.standardOutput, result.standardError]
            }
        }
        let token = try tool("token").standardOutput.dropLast()
        let refreshToken = try #require(try tool.refreshToken(in: Shell.group))
        printed.append(try tool("sign-out").standardOutput)
        while !printed[printed.count - 1].contains(#""user":null"#) { printed.append(try watch.line()) }
        let text = printed.joined(separator: "\n")
        #expect(text.contains("ada@example.com"))
        for secret in [String(token.split(separator: ".")[2]), refreshToken, "a good password"] {
            #expect(!text.contains(secret))
        }
    }
}
