import SharedAuth
import TestSupport
import Testing

struct SignInTests {
    @Test("An anonymous user is signed in and stays signed in for the next process")
    func anonymous() throws {
        let tool = try Shell()
        let signedIn = try tool("sign-in", "--anonymous", "--json")
        let uid = try #require(try signedIn.uid)
        #expect(signedIn.status == 0)
        #expect(try signedIn.json["user"]?["isAnonymous"] == .bool(true))
        #expect(try signedIn.json["user"]?["email"] == .null)
        #expect(try tool("status", "--json").uid == uid)
    }

    @Test("An account is created, signed out, and signed in again")
    func accountLifecycle() throws {
        let tool = try Shell()
        let created = try tool(
            "sign-in",
            "--email",
            "ada@example.com",
            "--password-stdin",
            "--create",
            "--json",
            input: "a good password\n"
        )
        #expect(created.status == 0)
        #expect(try created.json["user"]?["email"] == .string("ada@example.com"))
        let signedOut = try tool("sign-out", "--json")
        #expect(signedOut.status == 0)
        #expect(try signedOut.json["user"] == .null)
        let again = try tool(
            "sign-in",
            "--email-stdin",
            "--password-stdin",
            "--json",
            input: "ada@example.com\na good password\n"
        )
        #expect(again.status == 0)
        #expect(try again.uid == created.uid)
    }

    @Test("A refusal by the identity provider has its own status and signs no user in")
    func refused() throws {
        let tool = try Shell()
        let account = ["ada@example.com", "a good password"]
        let input = account.joined(separator: "\n")
        #expect(try tool("sign-in", "--email-stdin", "--password-stdin", input: input).status == 67)
        #expect(try tool("sign-in", "--email-stdin", "--password-stdin", "--create", input: input).status == 0)
        #expect(try tool("sign-out").status == 0)
        let wrong = try tool("sign-in", "--email", account[0], "--password-stdin", input: "another password")
        #expect(wrong.status == 77)
        #expect(wrong.hasOneLineOfComplaint)
        #expect(!wrong.standardError.contains(account[0]) && !wrong.standardError.contains("another password"))
        #expect(try tool("sign-in", "--email-stdin", "--password-stdin", "--create", input: input).status == 77)
        #expect(try tool("status", "--json").json["state"] == .string("signed-out"))
    }

    @Test("Signing out without a user is not an error")
    func nobodySignsOut() throws {
        let result = try Shell()("sign-out")
        #expect(result.status == 0)
        #expect(result.standardError.isEmpty)
    }
}
