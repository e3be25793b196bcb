import SecretService
import TestSupport
import Testing

extension OneAtATime {
    /// The token store on a real keyring, with real processes.
    struct KeyringTests {
        let project: KeyringProject

        init() throws { project = try KeyringProject() }

        @Test("Every running app of the team is notified of a sign-in and a log-out")
        func heard() async throws {
            let one = try project.peer("one")
            let others = try [project.peer("two"), project.peer("three", "R2:M1")]
            for other in others {
                #expect(try await other.obey("listen") == "done")
                #expect(try await other.hear() == "out")
            }
            #expect(try await one.obey("sign-in ann M1") == "in ann M1")
            for other in others { #expect(try await other.hear() == "in ann M1") }
            #expect(try await others[1].obey("log-out") == "done")
            for other in others { #expect(try await other.hear() == "out") }
            #expect(try await one.obey("status") == "out")
        }

        @Test("A process killed between log-out and sweep has logged out; the next one sweeps")
        func killedBeforeSweep() async throws {
            let (one, two) = (try project.peer("one"), try project.peer("two", "R2:M2"))
            #expect(try await one.obey("sign-in ann M1") == "in ann M1")
            #expect(try await two.obey("sign-in ann M2") == "in ann M2")
            #expect(try project.items().count == 3)
            #expect(try await one.obey("die-after 1") == "done")
            one.tell("log-out")
            await #expect(throws: PassPeerProcess.Silence.self) { _ = try await one.obey("status") }
            #expect(try await two.obey("status") == "out")
            #expect(try project.items().count == 3)
            #expect(try await project.peer("three").obey("open") == "out")
            let left = try project.items()
            #expect(left.count == 1)
            #expect(try left.first?.attributes()["sharedauth-kind"] == "pass-separate.index")
        }

        @Test("A process killed before the log-out's write has not logged out")
        func killedBefore() async throws {
            let (one, two) = (try project.peer("one"), try project.peer("two"))
            #expect(try await one.obey("sign-in ann M1") == "in ann M1")
            #expect(try await one.obey("die-after 0") == "done")
            one.tell("log-out")
            await #expect(throws: PassPeerProcess.Silence.self) { _ = try await one.obey("status") }
            #expect(try await two.obey("open") == "in ann M1")
        }

        @Test("Two processes that write into one bucket at the same time lose nothing")
        func together() async throws {
            let (one, two) = (try project.peer("one"), try project.peer("two"))
            #expect(try await one.obey("sign-in ann M1") == "in ann M1")
            two.tell("authorize b 10")
            #expect(try await one.obey("authorize a 10") == "done")
            #expect(try await two.obey("authorize") == "done")
            #expect(try await one.obey("authorizations") == "20")
        }

        @Test(
            "Items name no programmer, MVPD, resource or user"
        )
        func attributes() async throws {
            let one = try project.peer("one", "ProgrammerX:DaemonX")
            #expect(try await one.obey("sign-in PersonX DaemonX") == "in PersonX DaemonX")
            #expect(try await one.obey("authorize ResourceX 1") == "done")
            let items = try project.items()
            // The index, the bucket and one page of its authorizations.
            #expect(items.count == 3)
            for item in items {
                let text = "\(try item.label())\(try item.attributes())"
                #expect(!text.contains("X"), "\(text)")
                #expect(String(decoding: try item.secret().bytes, as: UTF8.self).hasPrefix("SharedAuth1."))
            }
        }

        @Test(
            "A locked keyring is a distinct answer; after the unlock, everything is back"
        )
        func locked() async throws {
            let keyring = try PrivateKeyring()
            let project = try KeyringProject(keyring)
            let one = try project.peer("one")
            #expect(try await one.obey("sign-in ann M1") == "in ann M1")
            #expect(try await one.obey("listen") == "done")
            #expect(try await one.hear() == "in ann M1")
            try keyring.lock()
            #expect(try await one.hear() == "failed locked")
            for command in ["open", "status", "sign-in bob M1", "log-out", "authorizations"] {
                #expect(try await one.obey(command) == "failed locked", "\(command)")
            }
            try keyring.killDaemon()
            try keyring.startDaemon(unlocked: true)
            #expect(try await one.hear() == "in ann M1")
            #expect(try await project.peer("two").obey("open") == "in ann M1")
        }

        @Test("An Auth in another process announces the user; its sign-out applies to all")
        func auth() async throws {
            let (tokens, users) = (try project.peer("one"), try project.peer("two", "R2:M1"))
            #expect(try await users.obey("use-auth") == "done")
            #expect(try await users.hear() == "user -")
            #expect(try await tokens.obey("sign-in ann M1") == "in ann M1")
            #expect(try await users.hear() == "user ann")
            #expect(try await tokens.obey("listen") == "done")
            #expect(try await tokens.hear() == "in ann M1")
            #expect(try await users.obey("sign-out") == "done")
            #expect(try await tokens.hear() == "out")
            #expect(try await users.hear() == "user -")
            #expect(try await tokens.obey("sign-in bob M1") == "in bob M1")
            #expect(try await users.hear() == "user bob")
            #expect(try await tokens.obey("log-out") == "done")
            #expect(try await users.hear() == "user -")
            #expect(try project.items().map { try $0.attributes()["sharedauth-kind"] } == ["pass-separate.index"])
        }

        @Test("A process of a private store logs out no team that another process of its app joined by hand")
        func twoProcesses() async throws {
            let teamMate = try project.peer("two")
            #expect(try await teamMate.obey("sign-in bob M1") == "in bob M1")
            // The stored choice of an app is shared by all tests of this keyring.
            var app = PassPeerProcess.App(appID: "com.example.\(project.name)", group: nil, requestor: "R1:M1")
            let first = try project.peer(app)
            #expect(try await first.obey("sign-in eve M1") == "in eve M1")
            #expect(try await first.obey("use-auth") == "done")
            #expect(try await first.hear() == "user eve")
            app.group = "TEAM1.example.pass"
            let second = try project.peer(app)
            // Joining a group logs the private store out, which both processes share.
            #expect(try await second.obey("use-auth") == "done")
            #expect(try await second.hear() == "user bob")
            #expect(try await first.hear() == "user -")
            for _ in 1...2 { #expect(try await first.obey("sign-out") == "done") }
            #expect(try await teamMate.obey("status") == "in bob M1")
            #expect(try await second.obey("status") == "in bob M1")
        }
    }
}
