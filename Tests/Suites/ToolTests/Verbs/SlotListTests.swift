import SharedAuth
import TestSupport
import Testing

/// Tests `status --all`.
struct SlotListTests {
    @Test("status --all lists the app's own slot, each declared group, and the group in use")
    func everySlot() throws {
        let tool = try Shell()
        let declared = ["--declare", "group.com.example.a", "--declare", Shell.group]
        func run(_ arguments: String...) throws -> ProcessResult { try tool.bare(arguments + declared + tool.identity) }
        let own = try tool.signIn()
        #expect(
            try run("status", "--all").standardOutput == """
                * own slot                  signed-in  \(own)
                  group.com.example.a       signed-out
                  group.com.example.office  signed-out

                """
        )
        #expect(try tool("use-group", Shell.group, "--forget").status == 0)
        let shared = try tool.signIn()
        let json = try run("status", "--all", "--json")
        #expect(json.status == 0)
        #expect(try json.json["appID"] == .string(tool.appID))
        guard case .array(let slots)? = try json.json["slots"] else { throw NothingToRead() }
        #expect(slots.map { $0["accessGroup"] } == [.null, .string("group.com.example.a"), .string(Shell.group)])
        #expect(slots.map { $0["isInUse"] } == [.bool(false), .bool(false), .bool(true)])
        #expect(slots.map { $0["state"] } == ["signed-out", "signed-out", "signed-in"].map(JSONValue.string))
        #expect(slots.map { $0["user"]?["uid"] } == [nil, nil, .string(shared)])
        // The group in use is listed although it is not declared.
        #expect(
            try tool("status", "--all").standardOutput == """
                  own slot                  signed-out
                * group.com.example.office  signed-in  \(shared)

                """
        )
    }

    @Test("Unreadable slots are reported, and the status is that of the slot in use first")
    func unreadable() throws {
        let tool = try Shell()
        #expect(try tool("use-group", Shell.group).status == 0)
        _ = try tool.signIn()
        try tool.replaceRecords(with: "garbage")
        let damaged = try tool("status", "--all")
        #expect(damaged.status == 65)
        #expect(
            damaged.standardOutput == """
                  own slot                  signed-out
                * group.com.example.office  damaged

                """
        )
        #expect(damaged.hasOneLineOfComplaint)
        let keyring = try PrivateKeyring(state: .locked)
        let locked = try Shell(in: keyring)("status", "--all")
        #expect(locked.status == 75)
        #expect(locked.standardOutput == "* own slot  locked\n")
        #expect(
            locked.standardError
                == "sharedauth: The app's own slot: The keyring is locked. Unlock it with sharedauth unlock.\n"
        )
        keyring.shutdown()
    }
}
