import Glibc
import TestSupport
import Testing

struct WatchTests {
    @Test("watch reports sign-in and sign-out by another process of the group")
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

    @Test("watch prints the current state first, and exits with status 0 on a signal", arguments: [SIGINT, SIGTERM])
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

    @Test("A locked keyring is reported once; lines continue after the unlock", arguments: [[], ["--all-groups"]])
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

    @Test("A missing keyring is reported once; lines continue when it appears", arguments: [[], ["--all-groups"]])
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

    @Test("An error that no event will resolve ends watch with its code", arguments: [[], ["--all-groups"]])
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
