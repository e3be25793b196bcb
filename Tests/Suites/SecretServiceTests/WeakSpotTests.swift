import Glibc
import SecretService
import TestSupport
import Testing

/// What GNOME Keyring does now and then when connections come and go, by a script that does it each time.
struct WeakSpotTests {
    @Test("A daemon that does not know a method of the service at first is asked again, at once", arguments: [1, 3])
    func unknownMethodAtFirst(times: Int) throws {
        let daemon = try ScriptedDaemon("unknown=\(times)")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        #expect(try service.items(matching: ["test": "one"]).unlocked.isEmpty)
        #expect(calls.events.count == times + 1)
    }

    @Test("A daemon that never knows a method is asked four times, and that is not said to be no daemon")
    func methodNeverKnown() throws {
        let daemon = try ScriptedDaemon("unknown=4")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        let error = try #require(throws: SecretServiceError.self) { _ = try service.items(matching: ["test": "one"]) }
        #expect(error.code == .protocolViolation)
        #expect(calls.events.count == 4)
        #expect(try service.items(matching: ["test": "one"]).unlocked.isEmpty)
    }

    @Test("That there is no default collection is believed of a daemon that has answered before")
    func noDefaultCollection() throws {
        let daemon = try ScriptedDaemon("aliasless=1")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        #expect(try service.defaultCollection().path.hasSuffix("/scripted"))
        #expect(calls.takeAll().count == 2)
        try daemon.tell("aliasless=1")
        expectFailure(\SecretServiceError.code, .noDefaultCollection) { try service.defaultCollection() }
        #expect(calls.takeAll().count == 1)
        try daemon.tell("aliasless=2")
        expectFailure(\SecretServiceError.code, .noDefaultCollection) { try daemon.makeService().defaultCollection() }
    }

    @Test("A write that a daemon does not know at first is made again")
    func writeUnknownAtFirst() throws {
        let daemon = try ScriptedDaemon("signals=1")
        let service = daemon.makeService()
        let collection = try daemon.makeService().defaultCollection()
        try daemon.tell("unknown=2")
        // OpenSession is the call that meets it, CreateItem comes after a good answer.
        let item = try service.collection(at: collection.path)
            .createItem(label: "x", attributes: ["test": "one"], secret: Secret("y"))
        #expect(try item.secret() == Secret("y"))
    }

    @Test("An item of a daemon that has not answered yet is asked for twice, of one that has, once")
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
        // The same for what is asked for while something else goes on.
        let stranger = daemon.makeService(calls: calls)
        try daemon.tell("unknown=1")
        let found = try stranger.attributes(of: [stranger.item(at: path)], by: .after(.seconds(10))) {}
        #expect(found.attributes.first?["test"] == "one")
        try daemon.tell("unknown=2")
        let another = daemon.makeService()
        expectFailure(\SecretServiceError.code, .noSuchCollection) { try another.collection(at: "/no/such").label() }
    }

    @Test("A daemon that ends when a stranger asks for a property is not asked by a stranger")
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

    @Test("A property is asked of the daemon that answered, and of another in a way that a stranger may")
    func propertyOfRestartedDaemon() throws {
        let daemon = try ScriptedDaemon(startedWith: "unmet=1")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        let collection = try service.defaultCollection()
        #expect(try collection.isLocked() == false)
        // The daemon that is started next meets a connection that knows another.
        let before = try service.daemon()
        _ = calls.takeAll()
        kill(try #require(before.processID), SIGKILL)
        while try daemon.makeService().daemon() == before {}
        #expect(try collection.isLocked() == false)
        #expect(calls.takeAll() == ["Get", "GetAll", "Get"])
        #expect(try service.daemon() != before)
    }

    /// A call that GNOME Keyring never answers, or ends of, if it is the first one of a connection.
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

        /// The calls that a daemon which was restarted since the last one costs.
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
        "A restarted daemon answers a harmless call before one about an item",
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
        // The items of this daemon end with it.
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

    @Test("A session is opened only with a daemon that has answered before", arguments: [false, true])
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
        "A read that the daemon dies of is made again, and has another daemon started",
        arguments: ["SearchItems", "OpenSession", "GetSecrets", "Get", "ReadAlias"]
    )
    func readKillsDaemon(method: String) throws {
        let daemon = try ScriptedDaemon(startedWith: "once=DIRECTORY/once", "vanish=\(method)")
        let service = daemon.makeService()
        let start = ContinuousClock.now
        let item = service.item(at: "/org/freedesktop/secrets/collection/scripted/1")
        switch method {
        case "SearchItems": #expect(try service.items(matching: ["test": "one"]).unlocked.isEmpty)
        case "OpenSession": expectFailure(\SecretServiceError.code, .noSuchItem) { try item.secret() }
        case "GetSecrets": #expect(try service.secrets(of: [item]).isEmpty)
        case "Get": #expect(try service.collections().count == 1)
        default: _ = try service.defaultCollection()
        }
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test("A write that the daemon dies of has an unknown outcome at once, and reading settles it")
    func writeKillsDaemon() throws {
        let daemon = try ScriptedDaemon(startedWith: "once=DIRECTORY/once", "vanish=CreateItem")
        let service = daemon.makeService()
        let start = ContinuousClock.now
        let error = try #require(throws: SecretServiceError.self) { try service.store("x", as: "one") }
        #expect(error.code == .timedOut)
        #expect(error.outcomeIsUnknown)
        #expect(try service.items(matching: ["test": "one"]).unlocked.isEmpty)
        #expect(ContinuousClock.now - start < .seconds(5))
        try service.store("x", as: "one")
        #expect(try service.items(matching: ["test": "one"]).unlocked.count == 1)
    }

    @Test("A daemon that dies of each call is given up after a few")
    func eachCallKillsDaemon() throws {
        let daemon = try ScriptedDaemon(startedWith: "vanish=SearchItems")
        let calls = Recorder<String>()
        let service = daemon.makeService(calls: calls)
        let error = try #require(throws: SecretServiceError.self) { _ = try service.items(matching: ["test": "one"]) }
        #expect(error.code == .noDaemon)
        #expect(!error.outcomeIsUnknown)
        #expect(calls.events.count == 4)
    }

    @Test("A daemon that dies and cannot be started again is no time-out")
    func daemonNotStartedAgain() throws {
        let daemon = try ScriptedDaemon("vanish=SearchItems")
        let start = ContinuousClock.now
        let error = try #require(throws: SecretServiceError.self) {
            _ = try daemon.makeService().items(matching: ["test": "one"])
        }
        #expect(error.code == .noDaemon)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test("As asked, a read that the daemon died of waits for another")
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

/// A daemon may die of a client that leaves while its session is being opened.
struct OpeningSessionTests {
    private let nowhere = "/org/freedesktop/secrets/collection/scripted/1"

    @Test("The connection of an impatient caller stays until its session is open")
    func impatientCaller() throws {
        let daemon = try ScriptedDaemon("slow=OpenSession:300", "fragile")
        let other = daemon.makeService()
        let before = try other.daemon()
        do {
            let service = daemon.makeService(timeout: .milliseconds(50))
            expectFailure(\SecretServiceError.code, .timedOut) { try service.item(at: nowhere).secret() }
        }
        // This session is opened after the former one.
        expectFailure(\SecretServiceError.code, .noSuchItem) { try other.item(at: nowhere).secret() }
        #expect(try other.daemon() == before)
    }

    @Test("A session that came too late for one caller serves the next")
    func lateSessionServesNext() throws {
        let daemon = try ScriptedDaemon("slow=OpenSession:300", "fragile")
        let service = daemon.makeService()
        let item = service.item(at: nowhere)
        expectFailure(\SecretServiceError.code, .timedOut) { try item.secret(by: .after(.milliseconds(50))) }
        // No other session will be opened.
        try daemon.tell("silent=OpenSession")
        expectFailure(\SecretServiceError.code, .timedOut) { try item.secret(by: .after(.milliseconds(50))) }
        expectFailure(\SecretServiceError.code, .noSuchItem) { try item.secret() }
    }

    @Test("A process that ends waits for its session, and no longer than a second")
    func endingProcessWaits() throws {
        for (delay, isAwaited) in [(400, true), (20_000, false)] {
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
            #expect(elapsed < .seconds(5))
            let service = daemon.makeService()
            if isAwaited {
                #expect(elapsed >= .milliseconds(400))
                #expect(try service.items(matching: ["test": "one"]).unlocked.isEmpty)
            } else {
                #expect(elapsed >= .seconds(1))
            }
        }
    }

    @Test("Nothing but reading and writing secrets opens a session")
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
