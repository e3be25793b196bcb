import FoundationEssentials
import Glibc
import TestSupport
import Testing

struct SampleTests {
    private let keyring: PrivateKeyring

    init() throws {
        keyring = try PrivateKeyring()
    }

    private func run(_ sample: String, _ verb: String) throws -> String {
        let result = try keyring.run(BuiltProducts.executable(sample), [verb])
        #expect(result.status == 0)
        #expect(result.standardError.isEmpty)
        return result.standardOutput
    }

    @Test("Calendar shares the user signed in to Mail and is notified of the sign-out")
    func sharedSignIn() throws {
        #expect(try run("Mail", "show") == "Mail: signed in as nobody\n")
        let uid = try uid(in: run("Mail", "sign-in"), after: "Mail: signed in as ")
        #expect(try run("Calendar", "show") == "Calendar: signed in as \(uid)\n")
        let watcher = try RunningProgram("Calendar", ["watch"], in: keyring)
        #expect(try watcher.line() == "Calendar: signed in as \(uid)")
        #expect(try run("Mail", "sign-out") == "Mail: signed out\n")
        #expect(try watcher.line() == "Calendar: signed in as nobody")
    }

    @Test("Notes loses its user when it joins a group, and keeps it when it migrates")
    func joinAndMigrate() throws {
        let group = "group.com.example.office"
        #expect(
            try run("Notes", "migrate") == "Notes: nobody to bring along\nNotes: signed in as nobody in its own slot\n"
        )
        _ = try run("Notes", "sign-in")
        #expect(try run("Notes", "join") == "Notes: signed in as nobody in \(group)\n")
        #expect(try run("Notes", "leave") == "Notes: signed in as nobody in its own slot\n")
        let uid = try uid(in: run("Notes", "sign-in"), after: "Notes: signed in as ")
        #expect(
            try run("Notes", "migrate") == """
                Notes: the listener heard \(uid)
                Notes: the listener heard nobody
                Notes: the listener heard \(uid)
                Notes: signed in as \(uid) in \(group)

                """
        )
        #expect(try run("Mail", "show") == "Mail: signed in as \(uid)\n")
    }

    private func uid(in line: String, after prefix: String) throws -> String {
        let rest = try #require(line.hasPrefix(prefix) ? line.dropFirst(prefix.count) : nil)
        return String(rest.prefix { !$0.isWhitespace })
    }
}
