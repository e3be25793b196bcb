import SecretService
import TestSupport
import Testing

struct AnsweringProviderTests {
    @Test func `Who gave the last answer is known for one question, and is another after a restart`() throws {
        let keyring = try PrivateKeyring()
        let calls = Recorder<String>()
        let service = keyring.makeService(
            interceptor: CallInterceptor { call, _ in
                calls.record(call.member)
                return nil
            }
        )
        let deadline = Deadline.after(.seconds(20))
        #expect(try service.answeringProvider(by: deadline) == nil)
        #expect(calls.takeAll().isEmpty)
        #expect(try code { _ = try service.item(at: "/no/such").label() } == .noSuchItem)
        #expect(try service.answeringProvider(by: deadline) == nil, "a refusal is no good answer")
        _ = try service.items(matching: ["test": "one"])
        _ = calls.takeAll()
        let first = try #require(try service.answeringProvider(by: deadline))
        #expect(first.executableName == "gnome-keyring-daemon")
        #expect(calls.takeAll() == ["GetConnectionUnixProcessID"])
        try service.store("x", as: "one")
        _ = calls.takeAll()
        #expect(try service.answeringProvider(by: deadline) == first)
        #expect(calls.takeAll().isEmpty)
        #expect(try service.provider() == first)
        #expect(calls.takeAll() == ["GetNameOwner"])

        try keyring.killProvider()
        #expect(try service.answeringProvider(by: deadline) == first)
        try keyring.startProvider(unlocked: true)
        _ = try service.items(matching: ["test": "one"])
        let second = try #require(try service.answeringProvider(by: deadline))
        #expect(second.executableName == first.executableName)
        #expect(second.instanceID != first.instanceID)
    }

    @Test func `A daemon that died before anyone asked who it was is told from the next`() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        _ = try service.items(matching: ["test": "one"])
        try keyring.killProvider()
        let first = try #require(try service.answeringProvider(by: .after(.seconds(10))))
        #expect(first.processID == nil)
        #expect(first.executableName == nil)
        try keyring.startProvider(unlocked: true)
        _ = try service.items(matching: ["test": "one"])
        let second = try #require(try service.answeringProvider(by: .after(.seconds(10))))
        #expect(second.instanceID != first.instanceID)
        #expect(second.processID != nil)
    }

    @Test func `Daemons of the same name on two buses are two`() throws {
        let keyrings = try [PrivateKeyring(state: .noProvider), PrivateKeyring(state: .noProvider)]
        let ids = try keyrings.map { keyring in
            try keyring.untilProviderAppears {
                _ = try keyring.start(try BuiltProducts.executable("TestDaemon"), ["scripted-provider"])
            }
            return try keyring.makeService().provider()
        }
        #expect(ids[0].uniqueName == ids[1].uniqueName)
        #expect(ids[0].instanceID != ids[1].instanceID)
    }

    @Test func `Who provides the secrets is asked in one round trip, and of one that has answered not again`() throws {
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
        let outcome = inBackground { Result { () throws(SecretServiceError) in try service.provider() } }
        // Both questions are on their way before either is answered.
        #expect(calls.first { $0 == "GetConnectionUnixProcessID" } != nil)
        keyring.continueBus()
        let provider = try #require(outcome.first { _ in true }).get()
        #expect(provider.executableName == "gnome-keyring-daemon")
        #expect(provider.processID != nil)
        #expect(calls.takeAll() == ["Get", "GetNameOwner", "GetConnectionUnixProcessID"])
        #expect(try service.provider() == provider)
        #expect(calls.takeAll() == ["GetNameOwner"])
    }
}
