import SharedAuth
import TestSupport
import Testing

/// Tests several accounts in one slot.
struct AccountsTests {
    private let tool: Shell
    private let first: String
    private let second: String

    init() throws {
        tool = try Shell()
        first = try tool.signIn()
        second = try tool.signIn(as: "ada@example.com", "--keep-others")
    }

    @Test("E-mail addresses are printed only with --emails")
    func addresses() throws {
        #expect(
            try tool("accounts", "--emails").standardOutput == "* \(second) (ada@example.com)\n  \(first) (anonymous)\n"
        )
        let watch = try RunningProgram("sharedauth", ["watch"] + tool.identity, in: tool.keyring)
        #expect(try watch.line() == "auth-state  signed-in \(second)")
        for verb in ["accounts", "status", "whoami"] {
            #expect(try tool(verb).standardOutput.contains(second))
            #expect(try !tool(verb).standardOutput.contains("@"))
        }
    }

    private func accounts() throws -> String { try tool("accounts").standardOutput }

    @Test("accounts lists the current account first, with a mark")
    func listed() throws {
        #expect(try accounts() == "* \(second)\n  \(first) (anonymous)\n")
        let current =
            #"{"email":"ada@example.com","isAnonymous":false,"isCurrent":true,"issuer":"app","providerID":"SharedAuth","tenantID":null,"#
            + #""uid":"\#(second)"}"#
        let other =
            #"{"email":null,"isAnonymous":true,"isCurrent":false,"issuer":"app","providerID":"SharedAuth","tenantID":null,"#
            + #""uid":"\#(first)"}"#
        #expect(
            try tool("accounts", "--json").standardOutput
                == #"{"accessGroup":null,"accounts":[\#(current),\#(other)],"#
                + #""appID":"com.example.Mail"}"# + "\n"
        )
        #expect(try Shell()("accounts").standardOutput == "nobody\n")
    }

    @Test("switch makes another account current, or exits with status 67 if it is unknown")
    func switched() throws {
        #expect(try tool("switch", first, "--json").uid == first)
        #expect(try accounts() == "* \(first) (anonymous)\n  \(second)\n")
        let unknown = try tool("switch", "nobody")
        #expect(unknown.status == 67)
        #expect(
            unknown.standardError
                == "sharedauth: No user of this uid is stored in the app's own slot. Sign in instead.\n"
        )
        #expect(try tool("whoami").standardOutput == "\(first)\n")
    }

    @Test("sign-out signs out one account and keeps the others, or signs out all")
    func signedOut() throws {
        #expect(try tool("sign-out", "--user", first).status == 0)
        #expect(try accounts() == "* \(second)\n")
        let third = try tool.signIn(as: "eve@example.com", "--keep-others")
        #expect(try tool("whoami").standardOutput == "\(third)\n")
        // Only the current account is signed out.
        #expect(try tool("sign-out").status == 0)
        #expect(try accounts() == "  \(second)\n")
        #expect(try tool("whoami").status == 67)
        #expect(try tool("sign-out", "--all").status == 0)
        #expect(try accounts() == "nobody\n")
        #expect(try tool("sign-out", "--all", "--user", first).status == 64)
    }

    @Test("Signing out an unknown user exits with 67, like switch, and signs no user out")
    func unknownSignOut() throws {
        let result = try tool("sign-out", "--user", "nobody")
        #expect(result.status == 67)
        #expect(
            result.standardError
                == "sharedauth: No user of this uid is stored in the app's own slot. List the accounts with sharedauth accounts.\n"
        )
        #expect(try accounts() == "* \(second)\n  \(first) (anonymous)\n")
    }

    @Test("A second anonymous account is refused, and the current anonymous user stays")
    func secondAnonymous() throws {
        #expect(try tool("switch", first).status == 0)
        let result = try tool("sign-in", "--anonymous", "--keep-others")
        #expect(result.status == 77)
        #expect(result.standardError.contains("The current user, \(first), is anonymous already"))
        #expect(result.hasOneLineOfComplaint)
        #expect(try accounts() == "* \(first) (anonymous)\n  \(second)\n")
        #expect(try tool("sign-in", "--anonymous").status == 0)
        #expect(try tool("switch", second).status == 0)
        #expect(try tool.signIn(as: nil, "--keep-others") != first)
    }

    @Test("A sign-in without --keep-others replaces only the current account")
    func replaced() throws {
        let third = try tool.signIn(as: "eve@example.com")
        #expect(try accounts() == "* \(third)\n  \(first) (anonymous)\n")
    }

    @Test("whoami prints only the uid, or exits with status 67")
    func whoAmI() throws {
        #expect(try tool("whoami").standardOutput == "\(second)\n")
        #expect(try tool("whoami", "--json").standardOutput == #"{"uid":"\#(second)"}"# + "\n")
        let nobody = try Shell()("whoami")
        #expect(nobody.status == 67)
        #expect(nobody.standardOutput.isEmpty)
        #expect(
            nobody.standardError
                == "sharedauth: No user is signed in to the app's own slot. Run sharedauth sign-in.\n"
        )
    }

    @Test(
        "A damaged record is an error, neither an empty list nor signed out",
        arguments: [["accounts"], ["whoami"], ["switch", "x"]]
    )
    func damaged(_ verb: [String]) throws {
        try tool.replaceRecords(with: "garbage")
        let result = try tool.bare(verb + tool.identity)
        #expect(result.status == 65)
        #expect(result.standardOutput.isEmpty)
        #expect(result.hasOneLineOfComplaint)
    }
}
