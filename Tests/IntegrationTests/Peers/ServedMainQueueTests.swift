import Glibc
import TestSupport
import Testing

/// Real programs in which GLib's main loop serves the main queue.
struct ServedMainQueueTests {
    @Test("The main queue and the main actor run in GLib's main loop, on the main thread")
    func jobs() throws {
        #expect(
            try run("served-jobs").sorted() == [
                "after a sleep on the main thread", "after another job on the main thread",
                "block on the main thread", "detached job elsewhere", "job on the main thread",
            ]
        )
    }

    @Test("A hundred thousand blocks from another thread run in order")
    func order() throws {
        #expect(try run("served-order") == ["in order true on the main thread"])
    }

    @Test("A sequence can be followed on the main actor")
    func sequence() throws {
        #expect(
            try run("served-sequence") == [
                "nobody on the main thread", "x on the main thread", "y on the main thread",
            ]
        )
    }

    @Test("A listener that both loops could call is called once for each change, in order and alone")
    func listeners() throws {
        #expect(try run("served-listeners") == ["in order true overlaps 0"])
    }

    @Test("With nothing to run, the loop does not wake for the main queue")
    func idle() throws {
        #expect(try run("served-idle") == ["wake-ups 0"])
    }

    @Test("On another thread than the main one, the program ends and says where the call belongs")
    func elsewhere() throws {
        let result = try start("served-elsewhere")
        #expect(result.status != 0)
        #expect(result.standardError.contains("Call it first in a main() that is not async"))
    }

    @Test("libdispatch has the functions by which another loop runs the main queue")
    func symbols() {
        for name in ["_dispatch_get_main_queue_handle_4CF", "_dispatch_main_queue_callback_4CF"] {
            #expect(unsafe dlsym(nil, name) != nil, "\(name) is gone: serveMainQueue() needs another way")
        }
    }

    private func run(_ program: String) throws -> [String] {
        let result = try start(program)
        #expect(result.standardError == "")
        #expect(result.status == 0)
        return result.standardOutput.split(separator: "\n").map(String.init)
    }

    private func start(_ program: String) throws -> ProcessResult {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        return try keyring.run(
            BuiltProducts.executable("TestPeer"),
            ["deliveries", program, "\(keyring.directory)/state"]
        )
    }
}
