import SecretService
import TestSupport
import Testing

struct RestartTests {
    @Test("Calls after a restart of the daemon succeed without an error")
    func restartedDaemon() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let item = try service.store("x", as: "one")
        let before = try service.daemon()
        for round in 1...3 {
            try keyring.restartDaemon()
            #expect(try item.secret() == Secret(round == 1 ? "x" : "round \(round - 1)"))
            try service.store("round \(round)", as: "one")
        }
        #expect(try service.daemon().uniqueName != before.uniqueName)
    }

    @Test("The first call after a restart can be a write or a batch")
    func firstCallIsWriteOrBatch() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let item = try service.store("x", as: "one")
        try keyring.restartDaemon()
        try service.store("y", as: "one")
        try keyring.restartDaemon()
        #expect(try service.secrets(of: [item]) == [item: Secret("y")])
        try keyring.restartDaemon()
        try item.setSecret(Secret("z"))
        #expect(try item.secret() == Secret("z"))
    }

    @Test("Calls throw `noDaemon` without a daemon, and `locked` after a locked restart")
    func daemonComesBackLocked() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let item = try service.store("x", as: "one")
        try keyring.killDaemon()
        expectFailure(\SecretServiceError.code, .noDaemon) { try item.secret() }
        try keyring.startDaemon(unlocked: false)
        expectFailure(\SecretServiceError.code, .locked) { try item.secret() }
        #expect(try service.items(matching: ["test": "one"]).locked.count == 1)
    }
}

/// Tests items that are found unlocked and are locked when they are read.
struct LockedMeanwhileTests {
    @Test("An item is locked, not missing, after the daemon restarted locked")
    func itemOfDaemonRestartedLocked() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        try service.store("x", as: "one")
        let found = try service.items(matching: ["test": "one"]).unlocked
        let item = try #require(found.first)
        try keyring.restartDaemon(unlocked: false)
        let gone = service.item(at: "\(item.collection.path)/4711")
        let reading = try service.readSecrets(of: [item, gone], by: .after(.seconds(10)))
        #expect(reading.secrets.isEmpty)
        #expect(reading.locked == [item])
        #expect(reading.missing == [gone])
        expectFailure(\SecretServiceError.code, .locked) { try item.secret() }
        expectFailure(\SecretServiceError.code, .noSuchItem) { try gone.secret() }
    }

    @Test("The first call to a daemon that restarted locked throws `locked`")
    func firstCallToDaemonRestartedLocked() throws {
        let keyring = try PrivateKeyring()
        let path = try keyring.makeService().store("x", as: "one").path
        try keyring.restartDaemon(unlocked: false)
        for _ in 1...5 {
            expectFailure(\SecretServiceError.code, .locked) { try keyring.makeService().item(at: path).secret() }
        }
    }

    @Test("An item that GetSecrets omits is read singly, or reported as missing or locked")
    func omittedSecrets() throws {
        let daemon = try ScriptedDaemon("signals=1")
        let service = daemon.makeService()
        let item = try service.store("x", as: "one")
        let gone = service.item(at: "\(item.path)0")
        #expect(try service.readSecrets(of: [item, gone], by: .after(.seconds(10))).secrets == [item: Secret("x")])
        try daemon.tell("omitting")
        let reading = try service.readSecrets(of: [item, gone], by: .after(.seconds(10)))
        #expect(reading.secrets == [item: Secret("x")])
        #expect(reading.missing == [gone])
        #expect(try service.secrets(of: [item]).isEmpty)
        try daemon.tell("lock")
        #expect(try service.readSecrets(of: [item], by: .after(.seconds(10))).locked == [item])
        #expect(try service.readSecrets(of: [], by: .after(.seconds(10))).secrets.isEmpty)
    }
}

/// Tests calls that wait for a daemon if none is running.
struct WaitingTests {
    enum Call: CaseIterable {
        case search, secret, setSecret, createItem, secrets, attributes

        func make(on item: SecretItem, of service: SecretService) throws(SecretServiceError) {
            switch self {
            case .search: _ = try service.items(matching: ["test": "one"])
            case .secret: _ = try item.secret()
            case .setSecret: try item.setSecret(Secret("y"))
            case .createItem:
                _ = try item.collection.createItem(label: "x", attributes: ["test": "two"], secret: Secret("y"))
            case .secrets: _ = try service.secrets(of: [item])
            case .attributes:
                _ = try service.attributes(of: [item], by: .after(.seconds(20))) {
                    () throws(SecretServiceError) in try service.secrets(of: [item])
                }
            }
        }
    }

    @Test(
        "A patient call waits for a daemon, with or without an earlier daemon's session",
        arguments: Call.allCases,
        [false, true]
    )
    func waitsForDaemon(
        call: Call,
        hadSession: Bool
    ) throws {
        let keyring = try PrivateKeyring()
        let path = try keyring.makeService().store("x", as: "one").path
        let looks = Recorder<Void>()
        let service = keyring.makeService(
            timeout: .seconds(20),
            waitsForDaemon: true,
            interceptor: CallInterceptor { call, _ in
                // The call found no daemon and checks whether one has started since.
                if call.member == "GetNameOwner" { looks.record(()) }
                return nil
            }
        )
        let item = service.item(at: path)
        if hadSession { _ = try item.secret() }
        try keyring.killDaemon()
        let outcome = inBackground { Result { () throws(SecretServiceError) in try call.make(on: item, of: service) } }
        #expect(looks.first { true } != nil)
        try keyring.startDaemon(unlocked: true)
        let result = try #require(outcome.first { _ in true })
        _ = try result.get()
    }

    @Test("A wait for a daemon that never starts ends at the deadline with `noDaemon`")
    func noDaemonComes() throws {
        let keyring = try PrivateKeyring(state: .noDaemon)
        let service = keyring.makeService(waitsForDaemon: true)
        let item = service.item(at: "/org/freedesktop/secrets/collection/login/1")
        let start = ContinuousClock.now
        expectFailure(\SecretServiceError.code, .noDaemon) { try item.secret(by: .after(.milliseconds(150))) }
        let elapsed = ContinuousClock.now - start
        #expect(elapsed >= .milliseconds(150))
        #expect(elapsed < .hang)
    }
}
