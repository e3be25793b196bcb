import SecretService
import TestSupport
import Testing

/// Calls that find no provider, and are to wait for one.
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

    @Test(arguments: Call.allCases, [false, true])
    func `As asked, a call waits for a provider, whether there was a session with a former one or not`(
        call: Call,
        hadSession: Bool
    ) throws {
        let keyring = try PrivateKeyring()
        let path = try keyring.makeService().store("x", as: "one").path
        let looks = Recorder<Void>()
        let service = keyring.makeService(
            timeout: .seconds(20),
            waitsForProvider: true,
            interceptor: CallInterceptor { call, _ in
                // It has found nobody, and looks whether somebody has come since.
                if call.member == "GetNameOwner" { looks.record(()) }
                return nil
            }
        )
        let item = service.item(at: path)
        if hadSession { _ = try item.secret() }
        try keyring.killProvider()
        let outcome = inBackground { Result { () throws(SecretServiceError) in try call.make(on: item, of: service) } }
        #expect(looks.first { true } != nil)
        try keyring.startProvider(unlocked: true)
        let result = try #require(outcome.first { _ in true })
        _ = try result.get()
    }

    @Test func `Nobody comes: that costs the deadline, and is said`() throws {
        let keyring = try PrivateKeyring(state: .noProvider)
        let service = keyring.makeService(waitsForProvider: true)
        let item = service.item(at: "/org/freedesktop/secrets/collection/login/1")
        let start = ContinuousClock.now
        #expect(try code { _ = try item.secret(by: .after(.milliseconds(150))) } == .noProvider)
        let elapsed = ContinuousClock.now - start
        #expect(elapsed >= .milliseconds(150))
        #expect(elapsed < .seconds(3))
    }
}
