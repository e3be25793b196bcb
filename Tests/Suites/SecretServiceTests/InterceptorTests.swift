import SecretService
import TestSupport
import Testing

struct InterceptorTests {
    let keyring: PrivateKeyring

    init() throws {
        keyring = try PrivateKeyring()
    }

    private let imposed = SecretServiceError(code: .timedOut, message: "imposed", outcomeIsUnknown: true)

    @Test("The interceptor sees each call with its ordinal; a warm call is one round trip")
    func callOrdinals() throws {
        let calls = Recorder<BusCall>()
        let service = keyring.makeService(
            interceptor: CallInterceptor { call, _ in
                calls.record(call)
                return nil
            }
        )
        let collection = try service.defaultCollection()
        let item = try collection.createItem(label: "x", attributes: ["a": "b"], secret: Secret("x"))
        _ = try item.secret()
        _ = try service.items(matching: ["a": "b"])
        _ = try service.secrets(of: [item])
        try item.setSecret(Secret("y"))
        try item.delete()
        try service.acquireName("com.example.Lock").release()
        #expect(
            calls.events.map(\.member) == [
                "ReadAlias", "OpenSession", "CreateItem", "GetSecret", "SearchItems", "GetSecrets", "SetSecret",
                "Delete",
                "RequestName", "ReleaseName",
            ]
        )
        #expect(calls.events.map(\.ordinal) == Array(1...10))
        #expect(calls.events[2].path == collection.path)
        #expect(calls.events[2].interface == "org.freedesktop.Secret.Collection")
    }

    @Test("The interceptor can fail a call before it is sent")
    func failedBeforeLeaving() throws {
        let service = keyring.makeService(
            interceptor: CallInterceptor { [imposed] call, _ in
                call.member == "CreateItem" ? imposed : nil
            }
        )
        #expect(throws: SecretServiceError.self) { try service.store("x", as: "one") }
        #expect(try keyring.makeService().items(matching: ["test": "one"]).unlocked.isEmpty)
    }

    @Test("The interceptor can carry out a call and drop its reply")
    func droppedAnswer() throws {
        let service = keyring.makeService(
            interceptor: CallInterceptor { [imposed] call, proceed in
                guard call.member == "CreateItem" else { return nil }
                guard case .success = proceed(), case .success = proceed() else { return nil }
                return imposed
            }
        )
        let collection = try service.defaultCollection()
        let error = try #require(throws: SecretServiceError.self) {
            _ = try collection.createItem(
                label: "x",
                attributes: ["test": "one"],
                secret: Secret("x"),
                replacing: false
            )
        }
        #expect(error.message == "imposed")
        #expect(try keyring.makeService().items(matching: ["test": "one"]).unlocked.count == 1)
    }

    @Test("A write with unknown outcome is not repeated")
    func writeUnknownOutcome() throws {
        let calls = Recorder<BusCall>()
        let service = keyring.makeService(
            interceptor: CallInterceptor { call, proceed in
                calls.record(call)
                guard call.member == "SetSecret" else { return nil }
                _ = proceed()
                return SecretServiceError(
                    code: .timedOut,
                    message: "imposed",
                    outcomeIsUnknown: true,
                    remoteErrorName: "org.freedesktop.Secret.Error.NoSession"
                )
            }
        )
        let item = try service.store("x", as: "one")
        #expect(throws: SecretServiceError.self) { try item.setSecret(Secret("y")) }
        #expect(calls.events.count { $0.member == "SetSecret" } == 1)
    }
}
