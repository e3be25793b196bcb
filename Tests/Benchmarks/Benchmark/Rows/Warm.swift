import SecretService
import SharedAuth

/// Reading and saving in a program that has been running for a while.
struct Warm {
    let read: Row
    let save: Row
    /// Saving in a process that also observes others: it reads again after each of its own writes.
    let saveListening: Row

    init(_ bench: BenchmarkFixture, withPython: Bool = true) async throws {
        let (auth, bare, item) = (bench.auth, bench.bare, bench.item.path)
        let libsecret = try bench.libsecret()
        let python = withPython ? try bench.pythonWorkers() : []
        // The items to look up must exist.
        _ = try await libsecret.work("", "store").run(1)
        for peer in python { _ = try await peer.worker.work("", "store").run(1) }

        read = Row(
            "reading the user of a group",
            Work("getStoredUser(forAccessGroup:)") {
                _ = try auth.getStoredUser(forAccessGroup: BenchmarkFixture.groups[0])
            },
            against: [
                .init(Work("bare GetSecret") { try bare.getSecret(item) }, aim: 1.3),
                .init(libsecret.work("libsecret in C, lookup_sync", "lookup"), aim: 0.7),
            ] + python.map { .init($0.worker.work("\($0.name), Python", "lookup"), aim: 0.2) }
        )
        let store = Row.Rival(libsecret.work("libsecret in C, store_sync", "store"), aim: 1.3)
        // The alternatives do not observe changes. For the comparison, this app does not either, and no other app
        // observes the record that it saves.
        var options = BenchmarkFixture.options(bench.keyring)
        options.appID = "com.example.Saving"
        options.observesOtherProcesses = false
        save = try Row(
            "saving a user",
            Self.saving(by: Auth.auth(app: AuthApp(unregistered: options))),
            against: [store] + python.map { .init($0.worker.work("\($0.name), Python", "store"), aim: 0.2) }
        )
        saveListening = try Row(
            "saving, one after another, listening",
            Self.saving(by: auth),
            against: [.init(store.work)]
        )
    }

    /// Saves the users of the two groups in turns.
    private static func saving(by auth: Auth) throws -> Work {
        let users = try BenchmarkFixture.groups.compactMap { try auth.getStoredUser(forAccessGroup: $0) }
        var turn = 0
        return Work("updateCurrentUser") { count in
            var times: [Double] = []
            for _ in 0..<count {
                turn += 1
                let start = Stopwatch.now
                try await auth.updateCurrentUser(users[turn % users.count])
                times.append(Double(Stopwatch.now - start) / 1000)
            }
            return times
        }
    }
}
