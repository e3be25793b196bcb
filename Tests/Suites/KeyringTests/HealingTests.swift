import Glibc
import SecretService
import TestSupport
import Testing

@testable import SharedAuth

extension OnEveryDaemon {
    /// Tests apps that select their group at each start, after KWallet was killed right after a write and left the
    /// record empty.
    struct HealingTests {
        private static let group = "group.com.example.office"

        /// The next action of the user.
        enum Act: CaseIterable {
            case signIn, signOut, hello
        }

        @Test(
            "A record that KWallet leaves empty is set aside by the next sign-in or sign-out",
            arguments: Act.allCases
        )
        func killedAfterWrite(_ act: Act) throws {
            let keyring = try Daemons.own(.kWallet)
            defer { keyring.shutdown() }
            _ = try say("Mail", "sign-in", in: keyring)
            try keyring.restartDaemon()
            guard case .empty = try record(in: keyring) else {
                Issue.record("\(try record(in: keyring))")
                return
            }
            // A record that cannot be read is not signed out.
            for app in ["Mail", "Calendar"] {
                let shown = try keyring.run(try BuiltProducts.executable(app), ["show"])
                #expect(shown.status == 1 && "\(shown.standardOutput)\(shown.standardError)".contains("damaged"))
            }
            switch act {
            case .signIn:
                let signedIn = try say("Mail", "sign-in", in: keyring)
                #expect(signedIn.hasPrefix("signed in as ") && signedIn != "signed in as nobody")
                #expect(try say("Calendar", "show", in: keyring) == signedIn)
            case .signOut:
                #expect(try say("Mail", "sign-out", in: keyring) == "signed out")
                guard case .none = try record(in: keyring) else {
                    Issue.record("\(try record(in: keyring))")
                    return
                }
            case .hello:
                let uid = try firstLine(of: "Hello", in: keyring)
                #expect(try say("Calendar", "show", in: keyring) == "signed in as \(uid)")
            }
        }

        /// Runs a sample, and returns its output after its name.
        private func say(_ app: String, _ word: String, in keyring: PrivateKeyring) throws -> String {
            let result = try keyring.run(try BuiltProducts.executable(app), [word])
            #expect(result.status == 0, "\(app) \(word): \(result.standardOutput)\(result.standardError)")
            return String(result.standardOutput.dropFirst("\(app): ".count).prefix { $0 != "\n" })
        }

        /// Starts a program, waits for its first line, and returns it.
        private func firstLine(of app: String, in keyring: PrivateKeyring) throws -> String {
            let ends = try SocketPair()
            defer { close(ends.ours) }
            // Without this, the program's output to a pipe would be buffered.
            let program = try keyring.start(
                "stdbuf",
                ["-oL", try BuiltProducts.executable(app)],
                output: ends.theirs
            )
            close(ends.theirs)
            defer { program.signal(SIGKILL) }
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while unsafe read(ends.ours, &byte, 1) == 1, byte != 10 { line.append(byte) }
            return String(decoding: line, as: UTF8.self)
        }

        private func record(in keyring: PrivateKeyring) throws -> StoredRecord {
            let key = RecordKey(
                scope: .group(Self.group),
                project: "default",
                instance: AuthApp.defaultName,
                kind: UserSlots.recordKind
            )
            return try keyring.makeStore().read(key, by: .patient)
        }
    }
}
