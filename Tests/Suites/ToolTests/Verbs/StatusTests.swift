import SharedAuth
import TestSupport
import Testing

struct StatusTests {
    @Test("status prints the user, the slot, and the program that stores the secrets")
    func whoAndWhere() throws {
        let tool = try Shell()
        let text = try tool("status")
        #expect(text.status == 0)
        #expect(
            text.standardOutput == """
                app id        com.example.Mail
                access group  none (the app's own slot)
                user          nobody
                state         signed-out
                keyring       gnome-keyring-daemon
                locked        no

                """
        )
        let json =
            #"{"accessGroup":null,"appID":"com.example.Mail","locked":false,"#
            + #""provider":"gnome-keyring-daemon","state":"signed-out","user":null}"#
        #expect(try tool("status", "--json").standardOutput == json + "\n")
        let uid = try #require(try tool("sign-in", "--anonymous", "--json").uid)
        let signedIn = try tool("status", "--json").json
        #expect(signedIn["state"] == .string("signed-in"))
        #expect(
            signedIn["user"]
                == .object([
                    "uid": .string(uid), "email": .null, "isAnonymous": .bool(true),
                    "providerID": .string("SharedAuth"),
                    "tenantID": .null,
                ])
        )
    }

    @Test(
        "status prints known values and exits with the state's code",
        arguments: [
            (PrivateKeyring.State.locked, "locked", 75 as Int32, "true"),
            (.noDaemon, "unavailable", 69, "null"),
            (.noDefaultCollection, "unavailable", 69, "null"),
        ]
    )
    func eachState(
        _ state: PrivateKeyring.State,
        _ name: String,
        _ status: Int32,
        _ locked: String
    ) throws {
        let keyring = try PrivateKeyring(state: state)
        let result = try Shell(in: keyring)("status", "--json")
        #expect(result.status == status)
        #expect(result.hasOneLineOfComplaint)
        #expect(try result.json["state"] == .string(name))
        #expect(try result.json["user"] == .null)
        #expect(result.standardOutput.contains(#""locked":\#(locked)"#))
        keyring.shutdown()
    }

    @Test("Without a session bus, status still prints the app ID")
    func withoutBus() throws {
        let tool = try Shell()
        for environment in [["-u", "DBUS_SESSION_BUS_ADDRESS"], ["DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent"]] {
            let result = try tool.bare(["status", "--json"] + tool.identity, environment: environment)
            #expect(result.status == 69)
            #expect(result.hasOneLineOfComplaint)
            #expect(try result.json["appID"] == .string(tool.appID))
            #expect(try result.json["provider"] == .null)
        }
    }
}
