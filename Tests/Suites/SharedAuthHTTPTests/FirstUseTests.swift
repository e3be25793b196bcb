import TestSupport
import Testing

@Suite("The first request beside the first bus connection")
struct FirstUseTests {
    @Test("Neither registers a type that a class of the other waits for")
    func types() throws {
        let servers = try ForeignServers()
        try servers.makeCertificate(for: "IP:127.0.0.1")
        let program = try BuiltProducts.executable("FirstUse")
        let result = try servers.home.run(program, ["https://127.0.0.1:\(try servers.startTLS())/", "types"])
        #expect(result.status == 0)
        #expect(result.standardOutput.isEmpty)
    }

    /// Tests/Scripts/first-use makes thousands of tries.
    @Test("Made at the same instant, both end", arguments: [[], ["modules"]])
    func together(_ others: [String]) throws {
        let home = try PrivateKeyring(state: .noDaemon)
        let program = try BuiltProducts.executable("FirstUse")
        for number in 1...30 {
            // Only the first looks for the desktop's proxies. Nothing listens there.
            let url = number.isMultiple(of: 2) ? "http://0.0.0.0:1/" : "http://127.0.0.1:1/"
            let result = try home.run(program, [url] + others, limit: .hang)
            try #require(result.status == 0, "\(result)")
        }
    }
}
