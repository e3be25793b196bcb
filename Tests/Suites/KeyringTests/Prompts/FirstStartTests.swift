import TestSupport
import Testing

@testable import SharedAuth

extension OnEveryDaemon {
    /// Tests the first start of an app whose options name its group, before the keyring can be read.
    struct FirstStartTests {
        /// The keyring at the first start.
        enum Beginning: CaseIterable {
            case locked, absent
        }

        @Test(
            "A first start announces only the group's user, once the keyring can be read",
            arguments: [DaemonKind.gnomeKeyring, .kWallet, .keePassXC],
            Beginning.allCases
        )
        func firstStart(_ kind: DaemonKind, _ beginning: Beginning) async throws {
            let bench = Bench(try Daemons.own(kind))
            defer { bench.keyring.shutdown() }
            let mail = try ListeningApp("com.example.Mail", on: bench)
            try await mail.signIn("x")
            // KWallet saves its last writes when it is locked.
            try bench.keyring.lock()
            try bench.keyring.terminateDaemon()
            if beginning == .locked { try bench.keyring.startDaemon(unlocked: false) }

            let calendar = try ListeningApp("com.example.Calendar", on: bench, group: nil, named: Bench.group)
            switch (beginning, await calendar.auth.ready()) {
            case (.locked, .locked), (.absent, .unavailable): break
            case (_, let state): Issue.record("\(state)")
            }
            #expect(calendar.auth.userAccessGroup == Bench.group)

            if beginning == .locked { try bench.keyring.terminateDaemon() }
            try bench.keyring.startDaemon(unlocked: true)
            #expect(calendar.hearsFirst("x"), "\(calendar.auth.state)")
            #expect(calendar.auth.userAccessGroup == Bench.group)
        }
    }
}
