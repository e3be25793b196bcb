import SharedAuth
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests what `sharedauth fleet` does with users who are signed in when a device joins, leaves or is removed.
struct ToolUserTests {
    private let person: PostgresFleet
    private let site: RevocationSite
    private let (laptop, desktop): (ToolDevice, ToolDevice)
    private let key = RecordKey(
        scope: .group("group.example.fleet"),
        project: "default",
        instance: "default",
        kind: "user"
    )

    init() throws {
        person = try PostgresFleet()
        site = try RevocationSite()
        (laptop, desktop) = (try ToolDevice(), try ToolDevice())
    }

    /// Returns the desktop's result of joining the laptop's fleet.
    private func join(_ options: String...) throws -> ProcessResult {
        try laptop.enrol { try desktop.run(["enrol"] + person.toolOptions + options, input: $0) }.joined
    }

    private func users(_ device: ToolDevice) throws -> [String] {
        try UserRecords.users(device.store.payload(key)).keys.sorted()
    }

    @Test("init asks about local users, and shares them or signs them out at their issuer", arguments: [true, false])
    func beginning(_ shares: Bool) throws {
        try laptop.local.change(key, .write(try UserRecords.signedIn("alice", by: site.issuer)))
        let asked = try laptop.run(["init"] + person.toolOptions)
        #expect(asked.status == 64 && asked.standardError.contains("alice in group.example.fleet"))
        #expect(try laptop.run(["status"]).status == 69)
        let began = try laptop.run(
            ["init", "--local-users", shares ? "share" : "sign-out"] + person.toolOptions
        )
        #expect(began.status == 0, "\(began.standardError)")
        #expect(try users(laptop) == (shares ? ["alice"] : []))
        #expect(try Fleet(local: laptop.local).localSessions(ofProject: "default", by: .patient).isEmpty)
        #expect(site.revocations.events.isEmpty == shares)
        #expect(began.standardOutput.contains("Ended the session of alice") == !shares)
        #expect(try join().status == 0)
        #expect(try users(desktop) == (shares ? ["alice"] : []))
    }

    @Test(
        "enrol keeps the fleet's users or replaces them, and ends the others' sessions",
        arguments: [("share", "alice", "bob"), ("replace", "bob", "alice"), ("sign-out", "alice", "bob")]
    )
    func joining(_ choice: String, _ kept: String, _ ended: String) throws {
        #expect(try laptop.run(["init"] + person.toolOptions).status == 0)
        try laptop.store.change(key, .write(try UserRecords.signedIn("alice", by: site.issuer)))
        try desktop.local.change(key, .write(try UserRecords.signedIn("bob", by: site.issuer)))
        #expect(try join().status == 64)
        #expect(try join("--local-users", "elsewhere").status == 64)
        let joined = try join("--local-users", choice)
        #expect(joined.status == 0, "\(joined.standardError)")
        #expect(joined.standardOutput.contains("Ended the session of \(ended)"))
        let revoked = try #require(site.revocations.take { $0.contains("refresh_token") }?.last)
        #expect(revoked.contains("refresh+0+of+\(ended)") || revoked.contains("refresh%200%20of%20\(ended)"))
        #expect(try users(laptop) == [kept] && users(desktop) == [kept])
        #expect(try Fleet(local: desktop.local).localSessions(ofProject: "default", by: .patient).isEmpty)
    }

    @Test("The session of a user who stays in the fleet is not ended")
    func sameUser() throws {
        #expect(try laptop.run(["init"] + person.toolOptions).status == 0)
        try laptop.store.change(key, .write(try UserRecords.signedIn("alice", by: site.issuer)))
        try desktop.local.change(key, .write(try UserRecords.signedIn("alice", by: site.issuer)))
        #expect(try join("--local-users", "share").status == 0)
        #expect(site.revocations.events.isEmpty)
        #expect(try users(desktop) == ["alice"])
    }

    @Test("revoke ends sessions at their servers, and names those to end elsewhere")
    func removing() throws {
        #expect(try laptop.run(["init"] + person.toolOptions).status == 0)
        #expect(try join("--name", "desktop").status == 0)
        let accounts = [
            UserRecords.account("alice", by: site.issuer), UserRecords.account("bob"),
            UserRecords.account("carol", by: "http://127.0.0.1:1#desktop"),
            UserRecords.account("dave", by: "oauth2:\(site.issuer)"),
        ]
        try laptop.store.change(key, .write(try UserRecords.record(accounts)))
        let list = try laptop.run(["devices"]).standardOutput.split(separator: "\n")
        let id = try #require(list.first { $0.hasSuffix("desktop") }).prefix { $0 != " " }
        let removed = try laptop.run(["revoke", "--yes", String(id)])
        #expect(removed.status == 0, "\(removed.standardError)")
        #expect(removed.standardOutput.contains("Ended the session of alice at http://127.0.0.1:"))
        #expect(removed.standardOutput.contains("Ended the session of dave at http://127.0.0.1:"))
        #expect(removed.standardOutput.contains("End the session of bob at https://issuer.example there"))
        #expect(removed.standardOutput.contains("End the session of carol at http://127.0.0.1:1 there"))
        #expect(!removed.standardOutput.contains("refresh"))
        #expect(removed.standardOutput.contains("connects as \(person.role)"))
        #expect(site.revocations.events.count == 2)
        #expect(try users(laptop) == [])
    }

    @Test("leave signs out here, or keeps the users on this device alone", arguments: [true, false])
    func leaving(_ keeps: Bool) throws {
        #expect(try laptop.run(["init"] + person.toolOptions).status == 0)
        #expect(try join().status == 0)
        try laptop.store.change(key, .write(try UserRecords.signedIn("alice")))
        #expect(try users(desktop) == ["alice"])
        #expect(try desktop.run(["leave"] + (keeps ? ["--keep-users"] : [])).status == 0)
        #expect(try UserRecords.users(desktop.local.payload(key)) == (keeps ? ["alice": 0] : [:]))
        #expect(try desktop.run(["status"]).status == 69)
        #expect(try users(laptop) == ["alice"])
    }
}
