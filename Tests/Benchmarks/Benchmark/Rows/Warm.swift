import SecretService
import SharedAuth

/// Reading and saving in a program that has been running for a while.
struct Warm {
    let read: Row
    let save: Row

    init(_ bench: Bench, withPython: Bool = true) throws {
        let (auth, bare, item) = (bench.auth, bench.bare, bench.item.path)
        let libsecret = try bench.libsecret()
        let python = withPython ? try bench.pythonWorkers() : []
        // What is to be looked up has to be there.
        _ = try libsecret.work("", "store").run(1)
        for peer in python { _ = try peer.worker.work("", "store").run(1) }

        read = Row(
            "reading the user of a group",
            Work("getStoredUser(forAccessGroup:)") { _ = try auth.getStoredUser(forAccessGroup: Bench.groups[0]) },
            against: [
                .init(Work("bare GetSecret") { try bare.getSecret(item) }, aim: 1.3),
                .init(libsecret.work("libsecret in C, lookup_sync", "lookup"), aim: 0.7),
            ] + python.map { .init($0.worker.work("\($0.name), Python", "lookup"), aim: 0.2) }
        )
        let users = try Bench.groups.compactMap { try auth.getStoredUser(forAccessGroup: $0) }
        var turn = 0
        save = Row(
            "saving a user",
            Work("updateCurrentUser") { count in
                try (0..<count).map { _ in
                    turn += 1
                    let user = users[turn % users.count]
                    return try Stopwatch.time { try auth.makeCurrent(user) }
                }
            },
            against: [
                .init(libsecret.work("libsecret in C, store_sync", "store"), aim: 1.15)
            ] + python.map { .init($0.worker.work("\($0.name), Python", "store"), aim: 0.2) }
        )
    }
}

extension Auth {
    /// `updateCurrentUser`, waited for.
    func makeCurrent(_ user: User) throws {
        let done = Waiting<AuthError?>()
        updateCurrentUser(user) { done.end(with: $0) }
        if case .some(.some(let error)) = done.wait() { throw error }
    }
}
