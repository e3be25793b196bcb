import SharedAuth
import TestSupport
import Testing

struct IdentifierTests {
    @Test(
        "Well-formed access groups are accepted",
        arguments: ["TEAMID.com.example.group1", "group.com.example", "a.b", "A-1._x"]
    )
    func acceptsGroups(name: String) throws {
        #expect(try AccessGroup(name).name == name)
    }

    @Test(
        "Malformed access groups are refused",
        arguments: [
            "", ".", "a", "a.", ".a", "a..b", "a b.c", "ä.b", "a/b.c", "a\u{0}.b", "a.b\n",
            String(repeating: "a", count: 254) + ".b",
        ]
    )
    func refusesGroups(name: String) {
        expectFailure(.invalidAccessGroup) { _ = try AccessGroup(name) }
    }

    @Test("A group of 255 characters is accepted")
    func acceptsTheLongest() throws {
        _ = try AccessGroup(String(repeating: "a", count: 253) + ".b")
    }

    @Test("An app that declares groups may use no other")
    func declaredGroups() throws {
        let identity = try AppIdentity(appID: "com.example.Mail", accessGroups: ["group.one.x"])
        #expect(try identity.accessGroup(named: "group.one.x").name == "group.one.x")
        expectFailure(.accessGroupNotDeclared) {
            _ = try identity.accessGroup(named: "group.two.x")
        }
    }

    @Test("With a team ID, a group's name begins with that ID or with the word group")
    func teamGroups() throws {
        let identity = try AppIdentity(appID: "com.example.Mail", teamID: "TEAM")
        _ = try identity.accessGroup(named: "TEAM.com.example")
        _ = try identity.accessGroup(named: "group.com.example")
        expectFailure(.accessGroupNotDeclared) {
            _ = try identity.accessGroup(named: "OTHER.com.example")
        }
        expectFailure(.accessGroupNotDeclared) {
            _ = try AppIdentity(appID: "com.example.Mail", teamID: "TEAM", accessGroups: ["TEAMS.x"])
        }
    }

    @Test("Malformed app IDs, team IDs and projects are refused", arguments: ["", "a/b", "a..b", "x y"])
    func refusesAppIDs(name: String) {
        for options in [
            AuthApp.Options(appID: name, store: .inMemory()),
            AuthApp.Options(appID: "com.example.Mail", teamID: name, store: .inMemory()),
            AuthApp.Options(appID: "com.example.Mail", project: name, store: .inMemory()),
        ] {
            expectFailure(.invalidAppIdentifier) {
                _ = try AuthApp(unregistered: options)
            }
        }
    }
}
