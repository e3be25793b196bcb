import BrowserFlow
import SecretService
import TestSupport
import Testing

@Suite("Addresses with an app's own scheme", .timeLimit(.minutes(1)))
struct SchemeTests {
    private let keyring: PrivateKeyring
    private var bus: BusAddress { .address(keyring.busAddress) }

    init() throws { keyring = try PrivateKeyring(state: .noDaemon) }

    private func hand(_ address: String) throws -> Bool {
        try SchemeListener.hand(over: address, scheme: "com.example.app", bus: bus)
    }

    @Test("An address is delivered to the waiting process, or reported as undelivered")
    func handedOver() async throws {
        #expect(try !hand("com.example.app://done"))
        let listener = try SchemeListener(scheme: "com.example.app", bus: bus)
        #expect(try hand("com.example.app://done?state=1"))
        #expect(try hand("COM.example.app:other"))
        var addresses = listener.addresses.makeAsyncIterator()
        #expect(await addresses.next() == "com.example.app://done?state=1")
        #expect(await addresses.next() == "COM.example.app:other")
        listener.close()
        #expect(await addresses.next() == nil)
        #expect(try !hand("com.example.app://done"))
        keyring.shutdown()
    }

    @Test("Only one process can wait for a scheme; other schemes are independent")
    func oneAtATime() throws {
        let listener = try SchemeListener(scheme: "com.example.app", bus: bus)
        let refused = #expect(throws: BrowserFlowError.self) {
            try SchemeListener(scheme: "com.example.app", bus: bus)
        }
        #expect(refused?.code == .schemeUnavailable)
        _ = try SchemeListener(scheme: "com.example.other", bus: bus)
        listener.close()
        _ = try SchemeListener(scheme: "com.example.app", bus: bus)
        keyring.shutdown()
    }

    @Test("An address over 8 kB is refused")
    func long() throws {
        let listener = try SchemeListener(scheme: "com.example.app", bus: bus)
        #expect(throws: BrowserFlowError.self) { try hand("com.example.app:" + String(repeating: "x", count: 8192)) }
        #expect(try hand("com.example.app:" + String(repeating: "x", count: 8000)))
        listener.close()
        keyring.shutdown()
    }

    @Test("The last 16 unread addresses are kept")
    func unread() async throws {
        let listener = try SchemeListener(scheme: "com.example.app", bus: bus)
        // Each one is handled before the next is acknowledged, but the last perhaps after its acknowledgement.
        for number in 1...21 { #expect(try hand("com.example.app:\(number)")) }
        listener.close()
        var kept: [String] = []
        for await address in listener.addresses { kept.append(address) }
        #expect(kept.count == 16 && kept.contains("com.example.app:20"))
        keyring.shutdown()
    }

    @Test("The bus name keeps the scheme's case; in addresses case does not matter")
    func letters() async throws {
        let listener = try SchemeListener(scheme: "com.example.App", bus: bus)
        // That is a different bus name, without an owner.
        #expect(try !hand("com.example.app://done"))
        #expect(try SchemeListener.hand(over: "com.example.app://done", scheme: "com.example.App", bus: bus))
        var addresses = listener.addresses.makeAsyncIterator()
        #expect(await addresses.next() == "com.example.app://done")
        listener.close()
        listener.close()
        keyring.shutdown()
    }

    @Test(
        "A malformed scheme, an address of another scheme and a missing bus are refused",
        arguments: ["", "a.", "a b", "1.a"]
    )
    func refused(_ scheme: String) throws {
        #expect(throws: BrowserFlowError.self) { try SchemeListener(scheme: scheme, bus: bus) }
        #expect(throws: BrowserFlowError.self) { try hand("com.example.other://x") }
        #expect(throws: BrowserFlowError.self) {
            try SchemeListener.hand(
                over: "com.example.app:x",
                scheme: "com.example.app",
                bus: .address("unix:path=/nowhere")
            )
        }
        keyring.shutdown()
    }
}
