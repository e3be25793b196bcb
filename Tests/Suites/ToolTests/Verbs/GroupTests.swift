import SharedAuth
import TestSupport
import Testing

struct GroupTests {
    @Test("The group choice persists for its app ID only")
    func choicePersists() throws {
        let mail = try Shell()
        let chosen = try mail("use-group", Shell.group, "--json")
        #expect(chosen.status == 0)
        #expect(try chosen.json["accessGroup"] == .string(Shell.group))
        #expect(try mail("status", "--json").json["accessGroup"] == .string(Shell.group))
        #expect(try mail.app("com.example.Calendar")("status", "--json").json["accessGroup"] == .null)
        #expect(try mail("use-group", "--none", "--json").json["accessGroup"] == .null)
        #expect(try mail("status", "--json").json["accessGroup"] == .null)
    }

    @Test("Apps of one group are signed in as one user")
    func oneUser() throws {
        let mail = try Shell()
        let calendar = mail.app("com.example.Calendar")
        _ = try mail("use-group", Shell.group)
        let uid = try mail("sign-in", "--anonymous", "--json").uid
        #expect(try calendar("status", "--json").uid == nil)
        #expect(try calendar("use-group", Shell.group, "--json").uid == uid)
        #expect(try calendar("sign-out").status == 0)
        #expect(try mail("status", "--json").uid == nil)
    }

    @Test("Stored users are read without switching")
    func storedUsers() throws {
        let mail = try Shell()
        let calendar = mail.app("com.example.Calendar")
        _ = try mail("use-group", Shell.group)
        let shared = try mail("sign-in", "--anonymous", "--json").uid
        let alone = try calendar("sign-in", "--anonymous", "--json").uid
        let seen = try calendar("stored-user", "--group", Shell.group, "--json")
        #expect(seen.status == 0)
        #expect(try seen.uid == shared)
        #expect(try seen.json["accessGroup"] == .string(Shell.group))
        #expect(try calendar("stored-user", "--own", "--json").uid == alone)
        #expect(try calendar("status", "--json").uid == alone)
        let nobody = try calendar("stored-user", "--group", "group.com.example.empty", "--json")
        #expect(nobody.status == 0)
        #expect(try nobody.json["user"] == .null)
    }

    @Test("A stored user becomes the current one")
    func useStored() throws {
        let mail = try Shell()
        let calendar = mail.app("com.example.Calendar")
        let none = try mail("update-current-user", "--from-own")
        #expect(none.status == 67)
        #expect(none.hasOneLineOfComplaint)
        _ = try mail("use-group", Shell.group)
        let uid = try mail("sign-in", "--anonymous", "--json").uid
        let copied = try calendar("update-current-user", "--from-group", Shell.group, "--json")
        #expect(try copied.uid == uid)
        // Two slots now have one refresh token, which may be valid for only one exchange.
        #expect(copied.standardError.contains("good for one exchange, sign out there"))
        #expect(try calendar("stored-user", "--own", "--json").uid == uid)
        _ = try calendar("use-group", "group.com.example.other", "--forget")
        #expect(try calendar("update-current-user", "--from-own").status == 67)
    }

    @Test("Text output is aligned")
    func aligned() throws {
        let mail = try Shell()
        let uid = try #require(try mail("sign-in", "--anonymous", "--json").uid)
        #expect(
            try mail("stored-user", "--own").standardOutput == """
                app id        com.example.Mail
                access group  none (the app's own slot)
                user          \(uid) (anonymous)

                """
        )
    }
}
