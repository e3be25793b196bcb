import Foundation
import Glibc
import TestSupport
import Testing

extension OnEveryDaemon {
    /// Tests two apps in separate processes.
    struct StoryTests {
        @Test("One program's sign-in and sign-out are reported by another", arguments: DaemonKind.allCases)
        func signInAndOut(_ kind: DaemonKind) throws {
            let keyring = try Daemons.shared(kind)
            let project = "test-\(UUID().uuidString)"
            let tool = try BuiltProducts.executable("sharedauth")
            func run(_ appID: String, _ words: String...) throws -> ProcessResult {
                try keyring.run(tool, words + ["--app-id", appID, "--project", project])
            }
            let (mail, calendar) = ("com.example.Mail", "com.example.Calendar")
            for appID in [mail, calendar] {
                #expect(try run(appID, "use-group", Bench.group).status == 0)
            }
            let lines = Recorder<String>()
            let pipe = Pipe()
            pipe.fileHandleForReading.readabilityHandler = { handle in
                let text = String(decoding: handle.availableData, as: UTF8.self)
                for line in text.split(separator: "\n") { lines.record(String(line)) }
                if text.isEmpty { handle.readabilityHandler = nil }
            }
            let watch = try keyring.start(
                tool,
                ["watch", "--app-id", calendar, "--project", project],
                output: pipe.fileHandleForWriting.fileDescriptor
            )
            defer { watch.end() }
            #expect(lines.take { $0 == "auth-state  signed-out" } != nil)
            #expect(try run(mail, "sign-in", "--anonymous").status == 0)
            #expect(lines.take { $0.hasPrefix("auth-state  signed-in") } != nil)
            #expect(try run(calendar, "status").standardOutput.contains("signed-in"))
            #expect(try run(mail, "sign-out").status == 0)
            #expect(lines.take { $0 == "auth-state  signed-out" } != nil)
            Observations.note(kind, "Two programs, one signed-in user", "yes")
            if kind != .keePassXC { Observations.note(kind, "A record of another program, as it comes", "readable") }
        }
    }
}
