import Glibc
import TestSupport
import Testing

struct WatchTests {
    @Test("It hears another process of the group sign in and out")
    func hearsOthers() throws {
        let mail = try Shell()
        let calendar = mail.app("com.example.Calendar")
        _ = try mail("use-group", Shell.group)
        _ = try calendar("use-group", Shell.group)
        let watch = try RunningProgram("sharedauth", ["watch"] + calendar.identity, in: mail.keyring)
        #expect(try watch.line() == "auth-state  signed-out")
        let uid = try #require(try mail("sign-in", "--anonymous", "--json").uid)
        #expect(try watch.line() == "auth-state  signed-in \(uid) (anonymous)")
        #expect(try watch.line() == "id-token    signed-in \(uid) (anonymous)")
        #expect(try mail("token", "--force-refresh").status == 0)
        #expect(try watch.line() == "id-token    signed-in \(uid) (anonymous)")
        #expect(try mail("sign-out").status == 0)
        #expect(try watch.line() == "auth-state  signed-out")
        #expect(try watch.line() == "id-token    signed-out")
    }

    @Test("It prints the present state first, and ends well when interrupted", arguments: [SIGINT, SIGTERM])
    func presentState(_ signal: Int32) throws {
        let tool = try Shell()
        let uid = try #require(try tool("sign-in", "--anonymous", "--json").uid)
        let watch = try RunningProgram("sharedauth", ["watch", "--json"] + tool.identity, in: tool.keyring)
        let user = #"{"email":null,"isAnonymous":true,"providerID":"SharedAuth","tenantID":null,"uid":"\#(uid)"}"#
        #expect(try watch.line() == #"{"event":"auth-state","state":"signed-in","user":\#(user)}"#)
        watch.process.signal(signal)
        #expect(watch.process.wait() == 0)
        #expect(throws: NothingToRead.self) { try watch.line() }
    }

    @Test("Where nothing can be known, it says so and ends with the state's code")
    func nothingKnown() throws {
        let keyring = try PrivateKeyring(state: .locked)
        let result = try Shell(in: keyring)("watch", "--json")
        #expect(result.status == 75)
        #expect(result.standardOutput == #"{"event":"auth-state","state":"locked","user":null}"# + "\n")
        #expect(result.hasOneLineOfComplaint)
        keyring.shutdown()
    }
}
