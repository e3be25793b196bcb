import Glibc
import SecretService
import TestSupport
import Testing

struct PrivateKeyringTests {
    @Test func `Nothing outlives a test process that is killed, not even a stopped provider`() throws {
        let keyring = try PrivateKeyring(state: .noProvider)
        let output = try Output()
        let holder = try keyring.start(
            try BuiltProducts.executable("TestDaemon"),
            ["hold-keyring"],
            output: output.writing
        )
        let service = SecretService(.init(busAddress: .address(output.readLine()), timeout: .seconds(10)))
        let events = Recorder<SecretServiceChange>()
        let watch = try service.watch(events.record)
        holder.end()
        #expect(events.first { $0 == .busClosed } != nil)
        watch.cancel()
    }

    @Test func `Shutting down removes everything, twice is once`() throws {
        let keyring = try PrivateKeyring()
        #expect(unsafe access(keyring.directory, F_OK) == 0)
        keyring.shutdown()
        keyring.shutdown()
        #expect(unsafe access(keyring.directory, F_OK) != 0)
    }

    @Test func `A process inside sees the private home and bus, and nothing else`() throws {
        let keyring = try PrivateKeyring(state: .noProvider)
        let result = try keyring.run("/bin/sh", ["-c", "cat; env | sort; exit 7"], input: "hello\n")
        #expect(result.status == 7)
        #expect(result.standardOutput.hasPrefix("hello\n"))
        #expect(result.standardOutput.contains("HOME=\(keyring.home)\n"))
        #expect(!result.standardOutput.contains("\nDISPLAY="))
        #expect(try keyring.run("/bin/sh", ["-c", "kill -9 $$"]).status == 137)
    }

    @Test func `Several keyrings know nothing of each other`() throws {
        let keyrings = try (1...3).map { _ in try PrivateKeyring() }
        try keyrings[0].makeService().store("x", as: "one")
        for keyring in keyrings[1...] {
            #expect(try keyring.makeService().items(matching: ["test": "one"]).unlocked.isEmpty)
        }
    }
}
