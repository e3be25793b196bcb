import SecretService
import TestSupport
import Testing

struct AnsweringDaemonTests {
    @Test("The daemon of the last reply is identified once, and changes with a restart")
    func lastAnswer() throws {
        let keyring = try PrivateKeyring()
        let calls = Recorder<String>()
        let service = keyring.makeService(interceptor: .recording(calls))
        let deadline = Deadline.after(.seconds(20))
        #expect(try service.answeringDaemon(by: deadline) == nil)
        #expect(calls.takeAll().isEmpty)
        expectFailure(\SecretServiceError.code, .noSuchItem) { try service.item(at: "/no/such").label() }
        #expect(try service.answeringDaemon(by: deadline) == nil, "an error is not a successful reply")
        _ = try service.items(matching: ["test": "one"])
        _ = calls.takeAll()
        let first = try #require(try service.answeringDaemon(by: deadline))
        #expect(first.executableName == "gnome-keyring-daemon")
        // The daemon's process, the owner of GNOME Keyring's name, and a process ID that shows whether the bus is in
        // this namespace, all in parallel.
        #expect(calls.takeAll() == ["GetConnectionUnixProcessID", "GetNameOwner", "GetConnectionUnixProcessID"])
        try service.store("x", as: "one")
        _ = calls.takeAll()
        #expect(try service.answeringDaemon(by: deadline) == first)
        #expect(calls.takeAll().isEmpty)
        #expect(try service.daemon() == first)
        #expect(calls.takeAll() == ["GetNameOwner"])

        try keyring.killDaemon()
        #expect(try service.answeringDaemon(by: deadline) == first)
        try keyring.startDaemon(unlocked: true)
        _ = try service.items(matching: ["test": "one"])
        _ = calls.takeAll()
        let second = try #require(try service.answeringDaemon(by: deadline))
        // The namespace of the bus is known.
        #expect(calls.takeAll() == ["GetConnectionUnixProcessID", "GetNameOwner"])
        #expect(second.executableName == first.executableName)
        #expect(second.instanceID != first.instanceID)
    }

    @Test("A daemon that died before it was identified is not confused with the next")
    func diedBeforeTheQuestion() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        _ = try service.items(matching: ["test": "one"])
        try keyring.killDaemon()
        let first = try #require(try service.answeringDaemon(by: .after(.seconds(10))))
        #expect(first.processID == nil)
        #expect(first.executableName == nil)
        try keyring.startDaemon(unlocked: true)
        _ = try service.items(matching: ["test": "one"])
        let second = try #require(try service.answeringDaemon(by: .after(.seconds(10))))
        #expect(second.instanceID != first.instanceID)
        #expect(second.processID != nil)
    }

    @Test("Daemons of the same name on two buses are different")
    func sameNameOnTwoBuses() throws {
        let keyrings = try [PrivateKeyring(state: .noDaemon), PrivateKeyring(state: .noDaemon)]
        let ids = try keyrings.map { keyring in
            try keyring.untilDaemonAppears {
                _ = try keyring.start(try BuiltProducts.executable("TestDaemon"), ["scripted-daemon"])
            }
            return try keyring.makeService().daemon()
        }
        #expect(ids[0].uniqueName == ids[1].uniqueName)
        #expect(ids[0].instanceID != ids[1].instanceID)
    }

    @Test("The daemon is identified in one round trip, and only once")
    func oneRoundTrip() throws {
        let keyring = try PrivateKeyring()
        let calls = Recorder<String>()
        let service = keyring.makeService(
            interceptor: CallInterceptor { call, proceed in
                _ = proceed()
                calls.record(call.member)
                return nil
            }
        )
        _ = try service.collections()
        keyring.stopBus()
        let outcome = inBackground { Result { () throws(SecretServiceError) in try service.daemon() } }
        // All requests are sent before any reply arrives.
        #expect(calls.first { _ in calls.events.count { $0 == "GetConnectionUnixProcessID" } == 2 } != nil)
        keyring.continueBus()
        let daemon = try #require(outcome.first { _ in true }).get()
        #expect(daemon.executableName == "gnome-keyring-daemon")
        #expect(daemon.processID != nil)
        let questions = ["GetNameOwner", "GetConnectionUnixProcessID"]
        #expect(calls.takeAll() == ["Get"] + questions + questions)
        #expect(try service.daemon() == daemon)
        #expect(calls.takeAll() == ["GetNameOwner"])
    }
}
