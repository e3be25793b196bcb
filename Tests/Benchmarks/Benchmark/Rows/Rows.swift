import SecretService
import SharedAuth
import Synchronization
import TestSupport

/// The rows of the table, except those that need several SharedAuth processes.
enum Rows {
    static func all(on bench: BenchmarkFixture) async throws -> [Row] {
        let warm = try await Warm(bench)
        return [
            current(bench), warm.read, warm.save, warm.saveListening, try await switching(bench),
            try PassTokens.row(bench), try await Moving.row(bench),
        ]
            + cold(bench)
    }

    private static func current(_ bench: BenchmarkFixture) -> Row {
        let auth = bench.auth
        let lock = Mutex(0)
        return Row(
            "the current user",
            Work("currentUser", byTheThousand: { _ = auth.currentUser }),
            against: [
                .init(Work("an uncontended lock", byTheThousand: { lock.withLock { $0 &+= 1 } }), aim: 3)
            ]
        )
    }

    /// Switches back and forth between two groups, compared to the bare round trips of the same kinds.
    private static func switching(_ bench: BenchmarkFixture) async throws -> Row {
        let calls = try await RoundTrips.calls(of: "useUserAccessGroup", on: bench)
        var side = 0
        return Row(
            "switching to a group with a user",
            Work("useUserAccessGroup") {
                side = 1 - side
                try bench.auth.useUserAccessGroup(BenchmarkFixture.groups[side])
            },
            against: [
                .init(
                    Work("the same round trips, bare") {
                        for call in calls { try bench.bare.replay(call, item: bench.item.path) }
                    },
                    aim: 1.5
                )
            ]
        )
    }

    private static func cold(_ bench: BenchmarkFixture) -> [Row] {
        let programs = bench.programs
        let keyring = bench.keyring
        func start(_ command: String...) -> ColdStart { ColdStart(command: command, keyring: keyring) }
        let python = (programs.python.map { [$0] } ?? []).flatMap { python in
            ["secretstorage", "keyring", "msal"].map { name in
                Row.Rival(
                    start(python, programs.pythonPeers, name, "read").work("\(name), Python"),
                    aim: 0.2
                )
            }
        }
        let libsecret = Row.Rival(
            start(programs.libsecret, "read").work("libsecret in C, high-level calls"),
            aim: 0.9
        )
        func lookup(aim: Double) -> Row.Rival {
            .init(start("secret-tool", "lookup", "account", "bench").work("secret-tool lookup"), aim: aim)
        }
        func reading(_ title: String, _ app: String, against rivals: [Row.Rival]) -> Row {
            let app = start(app, "read", BenchmarkFixture.appID, "\(keyring.directory)/state/sharedauth")
            return Row(title, app.work("Auth.currentUser"), batch: 4, against: rivals)
        }
        return [
            Row(
                "a program starts and prints status",
                start(programs.tool, "status", "--app-id", BenchmarkFixture.appID).work("sharedauth status"),
                batch: 4,
                against: [lookup(aim: 1)]
            ),
            Row(
                "a program starts and prints a token",
                start(programs.tool, "token", "--app-id", BenchmarkFixture.appID).work("sharedauth token"),
                batch: 4,
                against: [lookup(aim: 1)]
            ),
            reading(
                "a program starts and reads the user",
                programs.app,
                against: [lookup(aim: 1), libsecret] + python
            ),
            reading("the same, Swift's libraries inside", programs.staticApp, against: [lookup(aim: 0.9), libsecret]),
        ]
    }
}
