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
        #expect(
            try watch.line() == #"{"accessGroup":null,"event":"auth-state","state":"signed-in","user":\#(user)}"#
        )
        watch.process.signal(signal)
        #expect(watch.process.wait() == 0)
        #expect(throws: NothingToRead.self) { try watch.line() }
    }

    @Test("A locked keyring is said once, and the lines go on when it is unlocked", arguments: [[], ["--all-groups"]])
    func locked(_ options: [String]) throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let tool = try Shell(in: keyring)
        let uid = try #require(try tool("sign-in", "--anonymous", "--json").uid)
        try keyring.restartDaemon(unlocked: false)
        let watch = try RunningProgram(mergingErrors: ["watch", "--json"] + options + tool.identity, in: keyring)
        #expect(
            try watch.line() == #"{"accessGroup":null,"event":"auth-state","state":"locked","user":null}"#
        )
        #expect(
            try watch.line()
                == "sharedauth: The app's own slot: The keyring is locked. Watching resumes when the keyring can be read."
        )
        try keyring.restartUnlocked()
        let user = #"{"email":null,"isAnonymous":true,"providerID":"SharedAuth","tenantID":null,"uid":"\#(uid)"}"#
        #expect(
            try watch.line() == #"{"accessGroup":null,"event":"auth-state","state":"signed-in","user":\#(user)}"#
        )
        #expect(try tool("sign-out").status == 0)
        for event in ["auth-state", "id-token"] {
            #expect(
                try watch.line() == #"{"accessGroup":null,"event":"\#(event)","state":"signed-out","user":null}"#
            )
        }
    }

    @Test("An absent keyring is said once, and the lines go on when it is there", arguments: [[], ["--all-groups"]])
    func absent(_ options: [String]) throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        defer { keyring.shutdown() }
        let tool = try Shell(in: keyring)
        let watch = try RunningProgram(mergingErrors: ["watch", "--json"] + options + tool.identity, in: keyring)
        #expect(
            try watch.line() == #"{"accessGroup":null,"event":"auth-state","state":"unavailable","user":null}"#
        )
        let complaint = try watch.line()
        #expect(complaint.hasPrefix("sharedauth: The app's own slot: "), "\(complaint)")
        #expect(complaint.hasSuffix(" Watching resumes when the keyring can be read."), "\(complaint)")
        try keyring.startDaemon(unlocked: true)
        #expect(
            try watch.line() == #"{"accessGroup":null,"event":"auth-state","state":"signed-out","user":null}"#
        )
    }

    @Test("What no event will end ends it with the state's code", arguments: [[], ["--all-groups"]])
    func lasting(_ options: [String]) throws {
        let tool = try Shell()
        let result = try tool.bare(
            ["watch", "--json"] + options + tool.identity,
            environment: ["DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent"]
        )
        #expect(result.status == 69)
        #expect(
            result.standardOutput == #"{"accessGroup":null,"event":"auth-state","state":"unavailable","user":null}"#
                + "\n"
        )
        #expect(result.hasOneLineOfComplaint, "\(result.standardError)")
    }
}
