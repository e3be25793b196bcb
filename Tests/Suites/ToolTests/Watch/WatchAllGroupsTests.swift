import SharedAuth
import TestSupport
import Testing

struct WatchAllGroupsTests {
    private static let other = "group.com.example.other"

    @Test("Each line names its slot, and changes of slots not in use are reported")
    func namedSlots() throws {
        let mail = try Shell()
        let calendar = mail.app("com.example.Calendar")
        let uid = try #require(try mail("sign-in", "--anonymous", "--json").uid)
        let watch = try RunningProgram(
            "sharedauth",
            ["watch", "--all-groups", "--declare", Shell.group, "--declare", Self.other] + mail.identity,
            in: mail.keyring
        )
        #expect(try watch.line() == "auth-state  own                       signed-in \(uid) (anonymous)")
        #expect(try watch.line() == "auth-state  \(Shell.group)  signed-out")
        #expect(try watch.line() == "auth-state  \(Self.other)   signed-out")
        #expect(try calendar("use-group", Self.other).status == 0)
        let otherUID = try #require(try calendar("sign-in", "--anonymous", "--json").uid)
        #expect(try watch.line() == "auth-state  \(Self.other)   signed-in \(otherUID) (anonymous)")
        #expect(try watch.line() == "id-token    \(Self.other)   signed-in \(otherUID) (anonymous)")
        #expect(try mail("token", "--force-refresh").status == 0)
        #expect(try watch.line() == "id-token    own                       signed-in \(uid) (anonymous)")
        #expect(try calendar("sign-out").status == 0)
        #expect(try watch.line() == "auth-state  \(Self.other)   signed-out")
        #expect(try watch.line() == "id-token    \(Self.other)   signed-out")
        // The group was not switched.
        #expect(try mail("status", "--json").json["accessGroup"] == .null)
    }

    @Test("Without declared groups, the app's own slot and the group in use are watched")
    func groupInUse() throws {
        let tool = try Shell()
        #expect(try tool("use-group", Shell.group).status == 0)
        let watch = try RunningProgram(
            "sharedauth",
            ["watch", "--all-groups", "--json"] + tool.identity,
            in: tool.keyring
        )
        #expect(
            try watch.line() == #"{"accessGroup":null,"event":"auth-state","state":"signed-out","user":null}"#
        )
        #expect(
            try watch.line()
                == #"{"accessGroup":"\#(Shell.group)","event":"auth-state","state":"signed-out","user":null}"#
        )
        watch.process.signal(15)
        #expect(watch.process.wait() == 0)
        #expect(throws: NothingToRead.self) { try watch.line() }
    }

    @Test("A damaged record is reported, and the other slots are watched")
    func damagedRecord() throws {
        let tool = try Shell()
        #expect(try tool("sign-in", "--anonymous").status == 0)
        try tool.replaceRecords(with: "garbage")
        let watch = try RunningProgram(
            mergingErrors: ["watch", "--all-groups", "--declare", Shell.group] + tool.identity,
            in: tool.keyring
        )
        #expect(try watch.line() == "auth-state  own                       damaged")
        #expect(try watch.line().hasPrefix("sharedauth: The app's own slot: The stored record is damaged"))
        #expect(try watch.line() == "auth-state  \(Shell.group)  signed-out")
        #expect(try tool("sign-out").status == 0)
        #expect(try watch.line() == "auth-state  own                       signed-out")
    }

    @Test("A malformed or a chosen, undeclared group exits with the documented code")
    func refused() throws {
        let tool = try Shell()
        #expect(try tool("watch", "--all-groups", "--declare", "nonsense").status == 64)
        #expect(try tool("use-group", Shell.group).status == 0)
        let result = try tool("watch", "--all-groups", "--declare", Self.other)
        #expect(result.status == 77)
        #expect(result.standardOutput.isEmpty)
        #expect(result.hasOneLineOfComplaint)
    }
}
