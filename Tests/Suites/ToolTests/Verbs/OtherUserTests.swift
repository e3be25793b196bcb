import Foundation
import Glibc
import TestSupport
import Testing

/// Tests what is said to a user who is not in their own session: with a stale address, at another user's bus, or without
/// a home.
struct OtherUserTests {
    @Test("A stale bus address is told, with the bus that lives")
    func staleAddress() throws {
        let user = try OrdinaryUser()
        defer { user.keyring.shutdown() }
        try requireReadable(user)
        let tool = try BuiltProducts.executable("sharedauth")
        let living = "unix:path=\(user.keyring.directory)/runtime/bus"
        let stale = ["env", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent", tool]
        let doctor = try Diagnosis(user.run(stale + ["doctor", "--json", "--app-id", "com.example.Mail"]))
        #expect(doctor.status == 69)
        #expect(doctor["bus"]?.message.contains("answers at \(living)") == true, "\(doctor.text)")
        #expect(doctor["bus"]?.remedy?.contains("Set DBUS_SESSION_BUS_ADDRESS to \(living)") == true)
        let status = try user.run(stale + ["status", "--app-id", "com.example.Mail"])
        #expect(status.status == 69 && status.standardError.contains(living), "\(status.standardError)")
    }

    @Test("A user's bus that refuses root is told as refused, not as missing", .enabled(if: geteuid() == 0))
    func refused() throws {
        let user = try OrdinaryUser(admitsOthers: false)
        defer { user.keyring.shutdown() }
        let tool = try BuiltProducts.executable("sharedauth")
        let doctor = try Diagnosis(user.keyring.run(tool, ["doctor", "--json", "--app-id", "com.example.Mail"]))
        #expect(doctor.status == 77)
        let refusal = "belongs to user 65534, and refused this process of user 0"
        #expect(doctor["bus"]?.message.contains(refusal) == true, "\(doctor.text)")
        #expect(doctor["bus"]?.remedy?.contains("without sudo") == true)
        let status = try user.keyring.run(tool, ["status", "--app-id", "com.example.Mail"])
        #expect(status.status == 77 && status.standardError.contains(refusal), "\(status.standardError)")
    }

    @Test("A bus whose socket is out of reach is told as another user's", .enabled(if: geteuid() == 0))
    func unreachable() throws {
        let user = try OrdinaryUser()
        defer { user.keyring.shutdown() }
        try requireReadable(user)
        let session = try PrivateKeyring(state: .noDaemon)
        defer { session.shutdown() }
        let tool = try BuiltProducts.executable("sharedauth")
        let words = ["env", "DBUS_SESSION_BUS_ADDRESS=\(session.busAddress)", tool]
        let doctor = try Diagnosis(user.run(words + ["doctor", "--json", "--app-id", "com.example.Mail"]))
        #expect(doctor.status == 77)
        #expect(doctor["bus"]?.message.contains("may not connect to the message bus") == true, "\(doctor.text)")
        #expect(doctor["bus"]?.remedy?.contains("Run it as the user of the session") == true)
    }

    @Test(
        "Without a home, variable and option are named, and no path has two slashes",
        .enabled(if: geteuid() == 0),
        arguments: [["-u", "HOME"], ["HOME=/"]]
    )
    func homeless(_ home: [String]) throws {
        let user = try OrdinaryUser()
        defer { user.keyring.shutdown() }
        try requireReadable(user)
        let tool = try BuiltProducts.executable("sharedauth")
        let words = ["--reuid=4242", "--regid=4242", "--clear-groups", "env", "-u", "XDG_DATA_HOME"]
        let bare = words + ["-u", "XDG_STATE_HOME"] + home + [tool]
        let options = ["--store", "file", "--passphrase-stdin", "--app-id", "com.example.Mail"]
        let signIn = try user.keyring.run("setpriv", bare + ["sign-in", "--anonymous"] + options, input: "pass\n")
        #expect(signIn.status != 0)
        for part in ["XDG_DATA_HOME", "--store-directory", "User 4242 has no home directory"] {
            #expect(signIn.standardError.contains(part), "\(signIn.standardError)")
        }
        #expect(!signIn.standardError.contains("//"))
    }

    private func requireReadable(_ user: OrdinaryUser) throws {
        guard let obstacle = try user.obstacle(to: .plain) else { return }
        print("Test \"\(Test.current?.displayName ?? "")\" is not run: \(obstacle).")
        try Test.cancel("\(obstacle)")
    }
}
