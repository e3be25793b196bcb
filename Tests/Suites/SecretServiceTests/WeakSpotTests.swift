import Glibc
import SecretService
import TestSupport
import Testing

/// Tests faults that GNOME Keyring shows occasionally when connections open and close. The scripted daemon shows them
/// each time.
struct WeakSpotTests {
    @Test("A call is repeated immediately if the daemon does not know the method at first", arguments: [1, 3])
    func unknownMethodAtFirst(times: Int) throws {
        let daemon = try ScriptedDaemon("unknown=\(times)")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        #expect(try service.items(matching: ["test": "one"]).unlocked.isEmpty)
        #expect(calls.events.count == times + 1)
    }

    @Test("A call of a method still unknown after four tries throws `protocolViolation`")
    func methodNeverKnown() throws {
        let daemon = try ScriptedDaemon("unknown=4")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        let error = try #require(throws: SecretServiceError.self) { _ = try service.items(matching: ["test": "one"]) }
        #expect(error.code == .protocolViolation)
        #expect(calls.events.count == 4)
        #expect(try service.items(matching: ["test": "one"]).unlocked.isEmpty)
    }

    @Test("A missing default collection is accepted only from a daemon that replied before")
    func noDefaultCollection() throws {
        let daemon = try ScriptedDaemon("aliasless=1")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        #expect(try service.defaultCollection().path.hasSuffix("/scripted"))
        #expect(calls.takeAll().count == 2)
        try daemon.tell("aliasless=1")
        expectFailure(\SecretServiceError.code, .noDefaultCollection) { try service.defaultCollection() }
        #expect(calls.takeAll().count { $0 == "ReadAlias" } == 1)
        try daemon.tell("aliasless=2")
        expectFailure(\SecretServiceError.code, .noDefaultCollection) { try daemon.makeService().defaultCollection() }
    }

    @Test("A write is repeated if the daemon does not know its method at first")
    func writeUnknownAtFirst() throws {
        let daemon = try ScriptedDaemon("signals=1")
        let service = daemon.makeService()
        let collection = try daemon.makeService().defaultCollection()
        try daemon.tell("unknown=2")
        // OpenSession meets the fault; CreateItem follows a successful reply.
        let item = try service.collection(at: collection.path)
            .createItem(label: "x", attributes: ["test": "one"], secret: Secret("y"))
        #expect(try item.secret() == Secret("y"))
    }

    @Test("A missing item is requested again only if the daemon has not replied before")
    func itemUnknownAtFirst() throws {
        let daemon = try ScriptedDaemon("signals=1")
        let path = try daemon.makeService().store("x", as: "one").path
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        try daemon.tell("unknown=1")
        #expect(try service.item(at: path).label() == "A test's item")
        #expect(calls.takeAll() == ["GetAll", "Get"])
        try daemon.tell("unknown=1")
        expectFailure(\SecretServiceError.code, .noSuchItem) { try service.item(at: path).label() }
        #expect(calls.takeAll() == ["Get"])
        // The same for attributes that are requested while other work runs.
        let stranger = daemon.makeService(calls: calls)
        try daemon.tell("unknown=1")
        let found = try stranger.attributes(of: [stranger.item(at: path)], by: .after(.seconds(10))) {}
        #expect(found.attributes.first?["test"] == "one")
        try daemon.tell("unknown=2")
        let another = daemon.makeService()
        expectFailure(\SecretServiceError.code, .noSuchCollection) { try another.collection(at: "/no/such").label() }
    }

    @Test("A new connection does not begin with a property call that crashes the daemon")
    func propertyAskedByStranger() throws {
        let daemon = try ScriptedDaemon("signals=1")
        let path = try daemon.makeService().store("x", as: "one").path
        let collection = try daemon.makeService().defaultCollection().path
        let calls = Recorder<String>()
        for (first, attributes) in [(false, false), (false, true), (true, false), (true, true)] {
            let service = daemon.makeService(calls: calls)
            let before = try service.daemon()
            _ = calls.takeAll()
            try daemon.tell("unmet=1")
            if first {
                #expect(try service.collections().map(\.path) == [collection])
                #expect(calls.takeAll() == ["Get", "Get"])
            }
            if attributes {
                let found = try service.attributes(of: [service.item(at: path)], by: .after(.seconds(10))) {}
                #expect(found.attributes.first?["test"] == "one")
            } else {
                #expect(try service.collection(at: collection).isLocked() == false)
            }
            #expect(calls.takeAll() == (first ? ["Get"] : ["GetAll", "Get"]))
            #expect(try service.daemon() == before)
        }
    }

    @Test("After a restart, a property is read in a way that is safe for a new connection")
    func propertyOfRestartedDaemon() throws {
        let daemon = try ScriptedDaemon(startedWith: "unmet=1")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        let collection = try service.defaultCollection()
        #expect(try collection.isLocked() == false)
        // The next daemon receives calls of a connection that knows the previous one.
        let before = try service.daemon()
        _ = calls.takeAll()
        kill(try #require(before.processID), SIGKILL)
        while try daemon.makeService().daemon() == before {}
        #expect(try collection.isLocked() == false)
        #expect(calls.takeAll() == ["Get", "GetAll", "Get"])
        #expect(try service.daemon() != before)
    }

    /// A call to which GNOME Keyring never replies, or which crashes it, if it is the first one of a connection.
    enum UnsafeFirstCall: CaseIterable {
        case secret, askedSecret, setSecret, delete, createItem

        func make(on item: SecretItem) throws(SecretServiceError) {
            let deadline = Deadline.after(.seconds(10))
            switch self {
            case .secret: _ = try item.secret()
            case .askedSecret: _ = try item.askForSecret(by: deadline)?.answer(by: deadline)
            case .setSecret: try item.setSecret(Secret("y"))
            case .delete: try item.delete()
            case .createItem:
                _ = try item.collection.createItem(label: "x", attributes: ["test": "two"], secret: Secret("y"))
            }
        }

        /// The calls that are made if the daemon was restarted since the last call.
        var calls: [String] {
            switch self {
            case .secret, .askedSecret: ["GetSecret", "ReadAlias", "ReadAlias", "OpenSession", "GetSecret"]
            case .setSecret: ["SetSecret", "ReadAlias", "ReadAlias", "OpenSession", "SetSecret"]
            case .delete: ["Delete", "ReadAlias", "ReadAlias", "Delete"]
            case .createItem: ["CreateItem", "ReadAlias", "ReadAlias", "OpenSession", "CreateItem"]
            }
        }
    }

    @Test(
        "A restarted daemon receives a harmless call before one about an item",
        arguments: UnsafeFirstCall.allCases
    )
    func callAfterRestart(
        call: UnsafeFirstCall
    ) throws {
        let daemon = try ScriptedDaemon(startedWith: "unmet=1")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        let item = try service.store("x", as: "one")
        let before = try service.daemon()
        kill(try #require(before.processID), SIGKILL)
        while try daemon.makeService().daemon() == before {}
        _ = calls.takeAll()
        // This daemon's items are lost when it ends.
        let outcome = Result { () throws(SecretServiceError) in try call.make(on: item) }
        if call == .createItem {
            try outcome.get()
        } else {
            expectFailure(\SecretServiceError.code, .noSuchItem) { try outcome.get() }
        }
        #expect(calls.takeAll() == call.calls)
        let restarted = try service.daemon()
        #expect(restarted != before)
        #expect(try daemon.makeService().daemon() == restarted)
    }

    @Test("A session is opened only with a daemon that has replied before", arguments: [false, true])
    func sessionWithStranger(isSearching: Bool) throws {
        let daemon = try ScriptedDaemon("unmet=1")
        let before = try daemon.makeService().daemon()
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        if isSearching {
            let found = try service.items(expectedToMatch: ["test": "one"], by: .after(.seconds(10)))
            #expect(found.unlocked.isEmpty)
            #expect(calls.takeAll() == ["SearchItems", "SearchItems"])
        } else {
            let item = service.item(at: "/org/freedesktop/secrets/collection/scripted/1")
            expectFailure(\SecretServiceError.code, .noSuchItem) { try item.secret() }
            #expect(calls.takeAll() == ["ReadAlias", "ReadAlias", "OpenSession", "GetSecret"])
        }
        #expect(try service.daemon() == before)
    }

    @Test(
        "A read that crashes the daemon is repeated, which starts another daemon",
        arguments: ["SearchItems", "OpenSession", "GetSecrets", "Get", "ReadAlias"]
    )
    func readKillsDaemon(method: String) throws {
        let daemon = try ScriptedDaemon(startedWith: "once=DIRECTORY/once", "vanish=\(method)")
        let service = daemon.makeService(timeout: .patience)
        let start = ContinuousClock.now
        let item = service.item(at: "/org/freedesktop/secrets/collection/scripted/1")
        switch method {
        case "SearchItems": #expect(try service.items(matching: ["test": "one"]).unlocked.isEmpty)
        case "OpenSession": expectFailure(\SecretServiceError.code, .noSuchItem) { try item.secret() }
        case "GetSecrets": #expect(try service.secrets(of: [item]).isEmpty)
        case "Get": #expect(try service.collections().count == 1)
        default: _ = try service.defaultCollection()
        }
        #expect(ContinuousClock.now - start < .hang)
    }

    @Test("A write that crashes the daemon fails soon, outcome unknown; a read settles it")
    func writeKillsDaemon() throws {
        let daemon = try ScriptedDaemon(startedWith: "once=DIRECTORY/once", "vanish=CreateItem")
        let service = daemon.makeService(timeout: .patience)
        let start = ContinuousClock.now
        let error = try #require(throws: SecretServiceError.self) { try service.store("x", as: "one") }
        #expect(error.code == .timedOut)
        #expect(error.outcomeIsUnknown)
        #expect(try service.items(matching: ["test": "one"]).unlocked.isEmpty)
        #expect(ContinuousClock.now - start < .hang)
        try service.store("x", as: "one")
        #expect(try service.items(matching: ["test": "one"]).unlocked.count == 1)
    }

    @Test("Calls that crash the daemon each time are given up after four attempts")
    func eachCallKillsDaemon() throws {
        let daemon = try ScriptedDaemon(startedWith: "vanish=SearchItems")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        let error = try #require(throws: SecretServiceError.self) { _ = try service.items(matching: ["test": "one"]) }
        #expect(error.code == .noDaemon)
        #expect(!error.outcomeIsUnknown)
        #expect(calls.events.count == 4)
    }

    @Test("A daemon that dies and cannot be started again throws `noDaemon`, not `timedOut`")
    func daemonNotStartedAgain() throws {
        let daemon = try ScriptedDaemon("vanish=SearchItems")
        let start = ContinuousClock.now
        let error = try #require(throws: SecretServiceError.self) {
            _ = try daemon.makeService(timeout: .patience).items(matching: ["test": "one"])
        }
        #expect(error.code == .noDaemon)
        #expect(ContinuousClock.now - start < .hang)
    }

    @Test("A read that crashed the daemon waits for the next one if configured to wait")
    func readWaitsForNextDaemon() throws {
        let daemon = try ScriptedDaemon("vanish=SearchItems")
        let looks = Recorder<String>()
        let service = daemon.makeService(timeout: .seconds(20), waitsForDaemon: true, calls: looks)
        let outcome = inBackground {
            Result { () throws(SecretServiceError) in try service.items(matching: ["test": "one"]) }
        }
        #expect(looks.first { $0 == "GetNameOwner" } != nil)
        _ = try daemon.keyring.start(try BuiltProducts.executable("TestDaemon"), ["scripted-daemon"])
        #expect(try #require(outcome.first { _ in true }).get().unlocked.isEmpty)
    }
}

/// Tests clients that leave while their session is being opened, which may crash a daemon.
struct OpeningSessionTests {
    private let nowhere = "/org/freedesktop/secrets/collection/scripted/1"

    @Test("A timed-out caller's connection stays open until its session is open")
    func impatientCaller() throws {
        let daemon = try ScriptedDaemon("slow=OpenSession:300", "fragile")
        let other = daemon.makeService()
        let before = try other.daemon()
        do {
            let service = daemon.makeService(timeout: .milliseconds(50))
            expectFailure(\SecretServiceError.code, .timedOut) { try service.item(at: nowhere).secret() }
        }
        // This session is opened after the first one.
        expectFailure(\SecretServiceError.code, .noSuchItem) { try other.item(at: nowhere).secret() }
        #expect(try other.daemon() == before)
    }

    @Test("A session that opened too late for one caller serves the next")
    func lateSessionServesNext() throws {
        let daemon = try ScriptedDaemon("slow=OpenSession:2000", "silent1=OpenSession", "fragile")
        let service = daemon.makeService()
        // The connection is open, so that the first caller's time suffices to send its request.
        _ = try service.daemon()
        let item = service.item(at: nowhere)
        expectFailure(\SecretServiceError.code, .timedOut) { try item.secret(by: .after(.seconds(1))) }
        expectFailure(\SecretServiceError.code, .timedOut) { try item.secret(by: .after(.milliseconds(50))) }
        expectFailure(\SecretServiceError.code, .noSuchItem) { try item.secret() }
    }

    @Test("A process that ends waits at most a second for its session")
    func endingProcessWaits() throws {
        for (delay, isAwaited) in [(400, true), (60_000, false)] {
            let daemon = try ScriptedDaemon("slow=OpenSession:\(delay)", "fragile")
            let output = try Output()
            let start = ContinuousClock.now
            let visitor = try daemon.keyring.start(
                try BuiltProducts.executable("BusVisitor"),
                ["leave", nowhere],
                output: output.writing
            )
            #expect(output.readLine() == "left")
            #expect(visitor.wait() == 0)
            let elapsed = ContinuousClock.now - start
            #expect(elapsed < .hang)
            let service = daemon.makeService()
            if isAwaited {
                #expect(elapsed >= .milliseconds(400))
                #expect(try service.items(matching: ["test": "one"]).unlocked.isEmpty)
            } else {
                #expect(elapsed >= .seconds(1))
            }
        }
    }

    @Test("Only reading and writing secrets opens a session")
    func sessionOnlyForSecrets() throws {
        let daemon = try ScriptedDaemon("signals=1")
        let item = try daemon.makeService().store("x", as: "one")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        let same = service.item(at: item.path)
        let watch = try service.watch { _ in }
        _ = try service.items(matching: ["test": "one"])
        _ = try service.collections()
        _ = try service.defaultCollection().isLocked()
        _ = try same.attributes()
        _ = try same.label()
        _ = try service.attributes(of: [same], by: .after(.seconds(10))) {}
        _ = try service.secrets(of: [])
        _ = try service.daemon()
        try service.acquireName("com.example.Other").release()
        try service.unlock([same])
        expectFailure(\SecretServiceError.code, .invalidArgument) {
            try same.collection.createItem(
                label: "x",
                attributes: ["test": "one"],
                secret: Secret("y"),
                contentType: "a\0b"
            )
        }
        try same.delete()
        watch.cancel()
        #expect(!calls.events.contains("OpenSession"))
    }
}
