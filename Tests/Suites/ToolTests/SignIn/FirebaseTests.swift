import Foundation
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

/// Tests the verbs for users of Firebase, with a server on this machine.
struct FirebaseTests {
    private let tool: Shell
    private let firebase: FirebaseSite
    private let at: [String]

    init() throws {
        tool = try Shell()
        firebase = try FirebaseSite(in: tool.keyring)
        at = ["--firebase", "--emulator", firebase.address]
    }

    private func run(_ arguments: [String], input: String = "") throws -> ProcessResult {
        try tool.keyring.run(BuiltProducts.executable("sharedauth"), arguments + tool.identity, input: input)
    }

    /// Creates an account with a password, without signing in.
    private func account(hasFactor: Bool = false) throws {
        try firebase.addAccount("uid-9", "ada@example.com", "a good password", hasFactor: hasFactor)
    }

    private static func report(_ uid: String) -> String {
        """
        app id        com.example.Mail
        access group  none (the app's own slot)
        user          \(uid)

        """
    }

    @Test("whoami, token, run and sign-out work with a new account")
    func session() throws {
        try account()
        let signedIn = try run(
            ["sign-in"] + at + ["--email-stdin", "--password-stdin", "--create"],
            input: "eve@example.com\na good password\n"
        )
        let uid = try #require(try firebase.uids.last)
        #expect(signedIn.standardOutput == Self.report(uid) && signedIn.standardError.isEmpty)
        #expect(signedIn.status == 0)
        #expect(
            try firebase.requests.first
                == #"key=\#(tool.project) accounts:signUp {"email":"eve@example.com","password":"a good password","returnSecureToken":true}"#
        )
        #expect(try tool("whoami").standardOutput == "\(uid)\n")
        let token = try tool("token")
        #expect(token.status == 0 && FirebaseSite.holder(of: token.standardOutput) == uid)
        let (asked, refreshToken) = (try firebase.requests.count, try #require(try firebase.refreshToken(of: uid)))
        let fresh = try tool("token", "--force-refresh", "--json")
        #expect(try fresh.json["uid"] == .string(uid) && fresh.status == 0)
        #expect(
            try firebase.requests.dropFirst(asked)
                == ["key=\(tool.project) token grant_type=refresh_token&refresh_token=\(refreshToken)"]
        )
        let ran = try tool.bare(["run"] + tool.identity + ["--", "sh", "-c", "echo $SHAREDAUTH_ID_TOKEN"])
        #expect(FirebaseSite.holder(of: ran.standardOutput) == uid)
        let signedOut = try tool("sign-out")
        #expect(signedOut.status == 0 && signedOut.standardOutput == Self.report("nobody"))
        #expect(try tool("token").status == 67)
    }

    @Test("With --json, a user has the same form as for every verb")
    func json() throws {
        try account()
        let signedIn = try run(
            ["sign-in"] + at + ["--email", "ada@example.com", "--password-stdin", "--json"],
            input: "a good password"
        )
        #expect(
            signedIn.standardOutput == """
                {"accessGroup":null,"appID":"com.example.Mail","user":{"email":"ada@example.com","isAnonymous":false,"providerID":"SharedAuth","tenantID":null,"uid":"uid-9"}}

                """
        )
    }

    @Test("A custom token is read from standard input and sent with the given key")
    func customToken() throws {
        let token = try firebase.customToken("eve")
        let signedIn = try run(
            ["sign-in"] + at + ["--api-key", "AIza-1", "--custom-token-stdin"],
            input: "\(token)\n"
        )
        #expect(signedIn.standardOutput == Self.report("eve") && signedIn.status == 0)
        #expect(
            try firebase.requests.first
                == #"key=AIza-1 accounts:signInWithCustomToken {"returnSecureToken":true,"token":"\#(token)"}"#
        )
        // The session stores the key.
        #expect(try tool("token", "--force-refresh").status == 0)
        #expect(try firebase.requests.last?.hasPrefix("key=AIza-1 token ") == true)
    }

    @Test("An anonymous user links a password, keeps the uid, and cannot link another")
    func link() throws {
        let anonymous = try run(["sign-in"] + at + ["--anonymous"])
        let uid = try #require(try firebase.uids.first)
        #expect(anonymous.standardOutput == Self.report("\(uid) (anonymous)"))
        let linked = try run(
            ["link", "--email-stdin", "--password-stdin"],
            input: "ada@example.com\na good password\n"
        )
        #expect(
            linked.standardOutput == """
                app id         com.example.Mail
                access group   none (the app's own slot)
                user           \(uid)
                signs in with  password

                """
        )
        #expect(linked.status == 0 && linked.standardError.isEmpty)
        let again = try run(["link", "--email", "ada@example.com", "--password-stdin", "--json"], input: "another one")
        #expect(again.status == 77 && again.standardOutput.isEmpty)
        #expect(
            again.standardError == """
                {"error":{"code":17015,"message":"The account of \(uid) already has this sign-in method: password.","name":"providerAlreadyLinked","remedy":null}}

                """
        )
    }

    @Test("A link without a signed-in user is refused")
    func linkNobody() throws {
        let refused = try run(["link", "--email", "ada@example.com", "--password-stdin"], input: "a good password")
        #expect(refused.status == 67)
        #expect(
            refused.standardError == "sharedauth: No user is signed in to the app's own slot. Sign in first.\n"
        )
    }

    @Test("A user of another identity provider can link a password there, but no service")
    func linkLocal() throws {
        #expect(try tool("sign-in", "--anonymous").status == 0)
        let service = try run(["link", "--provider", "github.com"])
        #expect(service.status == 77 && service.standardError.contains("is not one of Firebase."))
        let linked = try run(
            ["link", "--email", "ada@example.com", "--password-stdin", "--json"],
            input: "a good password"
        )
        #expect(linked.status == 0)
        #expect(try linked.json["providers"] == .array([.string("password")]))
        #expect(try firebase.requests.isEmpty)
    }

    @Test("A password reset mail is requested, and its code sets the password")
    func resetPassword() throws {
        try account()
        let options = ["--emulator", firebase.address]
        let sent = try run(["reset-password", "--email", "ada@example.com"] + options)
        #expect(sent.standardOutput == "A mail is sent, if the address has an account.\n" && sent.status == 0)
        #expect(
            try firebase.requests.last
                == #"key=\#(tool.project) accounts:sendOobCode {"email":"ada@example.com","requestType":"PASSWORD_RESET"}"#
        )
        let code = try #require(try firebase.lastCode)
        let chosen = try run(
            ["reset-password", "--code-stdin", "--password-stdin", "--json"] + options,
            input: "https://p.example/action?mode=resetPassword&oobCode=\(code)&apiKey=k\na new password\n"
        )
        #expect(chosen.standardOutput == "{\"changed\":true}\n" && chosen.status == 0)
        #expect(
            try firebase.requests.last
                == #"key=\#(tool.project) accounts:resetPassword {"newPassword":"a new password","oobCode":"\#(code)"}"#
        )
        #expect(
            try run(["reset-password", "--email-stdin", "--tenant", "t"] + options, input: "a@b.example").status == 0
        )
        #expect(try firebase.requests.last?.contains(#""tenantId":"t""#) == true)
        try firebase.refuse("accounts:resetPassword", "EXPIRED_OOB_CODE")
        let late = try run(["reset-password", "--code-stdin", "--password-stdin"] + options, input: "C-1\nnewer\n")
        #expect(late.status == 77 && late.hasOneLineOfComplaint && !late.standardError.contains("C-1"))
    }

    @Test("A second factor is required, and its code is the last line of input")
    func secondFactor() throws {
        try account(hasFactor: true)
        let way = ["sign-in"] + at + ["--email", "ada@example.com", "--password-stdin"]
        let without = try run(way, input: "a good password\n")
        #expect(without.status == 77)
        #expect(
            without.standardError == """
                sharedauth: The account also needs its second factor. Give the code of the second factor with --code-stdin.

                """
        )
        let wrong = try run(way + ["--code-stdin"], input: "a good password\n000000\n")
        #expect(wrong.status == 77 && wrong.hasOneLineOfComplaint && !wrong.standardError.contains("000000"))
        #expect(try tool("whoami").status == 67)
        let code = try firebase.oneTimePassword
        let right = try run(way + ["--code-stdin"], input: "a good password\n\(code)\n")
        #expect(right.standardOutput == Self.report("uid-9"), "\(right.standardError)")
    }

    @Test("On a terminal, the code is prompted for after the password, and both are hidden")
    func secondFactorOnTerminal() throws {
        try account(hasFactor: true)
        let terminal = try Terminal(
            BuiltProducts.executable("sharedauth"),
            ["sign-in"] + at + ["--email", "ada@example.com"] + tool.identity,
            in: tool.keyring
        )
        try terminal.await("sharedauth: Password: ")
        try terminal.type("a good password\r")
        try terminal.await("sharedauth: Code of the second factor: ")
        #expect(!terminal.showsTyping)
        let code = try firebase.oneTimePassword
        try terminal.type("\(code)\r")
        let (status, shown) = try terminal.end()
        #expect(
            status == 0 && shown.contains("uid-9") && !shown.contains(code)
                && !shown.contains("good")
        )
    }

    @Test("A browser sign-in prints its address, and Firebase receives the redirect")
    func browser() throws {
        for verb in [["sign-in"] + at, ["link"]] {
            if verb == ["link"] {
                #expect(try run(["sign-in"] + at + ["--anonymous"]).status == 0)
            }
            let port = try firebase.freePort()
            let terminal = try Terminal(
                BuiltProducts.executable("sharedauth"),
                verb + ["--provider", "github.com", "--redirect-port", "\(port)"] + tool.identity,
                in: tool.keyring
            )
            try terminal.await("Waiting for the sign-in")
            let page = try #require(
                terminal.shown.split(whereSeparator: \.isWhitespace).first { $0.contains("/stand-in/sign-in?") }
            )
            let (back, query) = try firebase.signIn(at: String(page))
            #expect(back == "http://127.0.0.1:\(port)/callback")
            try firebase.visit("\(back)?\(query)")
            let (status, shown) = try terminal.end()
            #expect(status == 0, "\(shown)")
            let sent = try #require(try firebase.requests.last { $0.contains("accounts:signInWithIdp") })
            #expect(sent.contains(#""postBody":"\#(query)","requestUri":"\#(back)?\#(query)""#))
            let session = try #require(try firebase.lastAnswer("accounts:createAuthUri")?.string("sessionId"))
            #expect(sent.contains(#""sessionId":"\#(session)""#))
        }
        #expect(try tool("whoami").status == 0)
    }

    @Test(
        "A browser sign-in at an OpenID provider sends ID token and nonce to Firebase"
    )
    func openID() throws {
        let issuer = try firebase.serveIssuer()
        for verb in [["sign-in"] + at, ["link"]] {
            if verb == ["link"] { #expect(try run(["sign-in"] + at + ["--anonymous"]).status == 0) }
            let terminal = try Terminal(
                BuiltProducts.executable("sharedauth"),
                verb + ["--provider", "oidc.company", "--oidc", issuer.url, "--client-id", "desktop"] + tool.identity,
                in: tool.keyring
            )
            try terminal.await("Waiting for the sign-in")
            let page = try #require(
                terminal.shown.split(whereSeparator: \.isWhitespace).first { $0.contains("/authorize?") }
            )
            let items = URLComponents(string: String(page))?.queryItems ?? []
            let query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
            let tokens = try issuer.tokens(nonce: query["nonce"] ?? "")
            try firebase.answer("exchange", tokens)
            let idToken = try #require(JSONObject(tokens.utf8)?.string("id_token"))
            try firebase.accept(idToken: idToken, at: "oidc.company")
            try firebase.visit("\(query["redirect_uri"] ?? "")?code=C&state=\(query["state"] ?? "")")
            let (status, shown) = try terminal.end()
            #expect(status == 0, "\(shown)")
            let sent = try #require(try firebase.requests.last { $0.contains("accounts:signInWithIdp") })
            #expect(sent.contains(#""postBody":"providerId=oidc.company&id_token="#) && sent.contains("&nonce="))
            #expect(sent.contains(#""idToken""#) == (verb == ["link"]))
        }
        #expect(try tool("whoami").status == 0)
    }

    @Test("A refusal by Firebase has its own status, signs no user in, and names no address")
    func refused() throws {
        try account()
        let wrong = try run(
            ["sign-in"] + at + ["--email", "ada@example.com", "--password-stdin"],
            input: "another password"
        )
        #expect(wrong.status == 77 && wrong.standardOutput.isEmpty)
        #expect(
            wrong.standardError
                == "sharedauth: The address or the password is wrong. (Firebase: INVALID_LOGIN_CREDENTIALS.)\n"
        )
        try firebase.stop()
        let gone = try run(["sign-in"] + at + ["--anonymous"])
        #expect(gone.status == 69 && gone.hasOneLineOfComplaint)
        #expect(try tool("whoami").status == 67)
    }

    @Test("doctor calls the project's server and reports whether it answers")
    func doctor() throws {
        #expect(try run(["sign-in"] + at + ["--anonymous"]).status == 0)
        let good = try Diagnosis(try tool("doctor", "--json"))
        #expect(good.verdicts["issuer"] == "good" && good["clients"] == nil)
        try firebase.stop()
        #expect(try Diagnosis(try tool("doctor", "--json")).verdicts["issuer"] == "bad")
    }

    @Test(
        "Invalid combinations of options are refused, and the error names valid ones",
        arguments: [
            (["sign-in", "--firebase"], "Give one of --anonymous"),
            (["sign-in", "--anonymous", "--api-key", "k"], "go with --firebase"),
            (["sign-in", "--custom-token-stdin"], "go with --firebase"),
            (["sign-in", "--provider", "github.com"], "go with --firebase"),
            (["sign-in", "--firebase", "--oidc", "https://i.example", "--client-id", "c"], "needs --provider <id>"),
            (["sign-in", "--firebase", "--anonymous"], "Give the API key of the project"),
            (
                ["sign-in", "--firebase", "--anonymous", "--api-key", "k", "--emulator", "emulator.example:9099"],
                "on this machine"
            ),
            (["sign-in", "--firebase", "--anonymous", "--api-key", "k", "--emulator", "9099"], "on this machine"),
            (["reset-password", "--api-key", "k"], "Give one of --email"),
            (["reset-password", "--email", "a@b.example"], "Give the API key of the project"),
            (["reset-password", "--email", "a@b.example", "--password-stdin"], "goes with --code-stdin"),
            (["reset-password", "--code-stdin"], "with --password-stdin"),
            (["link"], "Give one of --email"), (["link", "--email", "a@b.example"], "with --password-stdin"),
            (["link", "--provider", "x", "--password-stdin"], "goes with --email"),
        ]
    )
    func usage(_ arguments: [String], _ words: String) throws {
        let refused = try tool.bare(arguments + ["--app-id", "com.example.Mail"])
        #expect(refused.status == 64 && refused.standardError.contains(words), "\(refused.standardError)")
    }

    @Test("The key is also read from the environment")
    func environment() throws {
        let result = try tool.bare(
            ["sign-in"] + at + ["--anonymous", "--app-id", "com.example.Other"],
            environment: ["SHAREDAUTH_API_KEY=AIza-2"]
        )
        #expect(try result.status == 0 && firebase.requests.first?.hasPrefix("key=AIza-2 accounts:signUp") == true)
        #expect(try tool.bare(["sign-out", "--app-id", "com.example.Other"]).status == 0)
    }
}
