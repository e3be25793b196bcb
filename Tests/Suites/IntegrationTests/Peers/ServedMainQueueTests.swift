import Foundation
import TestSupport
import Testing

/// Tests programs whose main loop serves the main queue: GLib's, and Qt's if `Tests/Scripts/qt` has built it.
struct ServedMainQueueTests {
    /// The main loops available here.
    enum Loop: CaseIterable {
        case glib, qt

        static let here = allCases.filter { $0 == .glib || qtLibrary != nil }

        static let qtLibrary = ProcessInfo.processInfo.environment["SHAREDAUTH_QT_LOOP"]

        /// The first lines of a program, which name its loop. Qt has another dispatcher, which is not GLib's and not
        /// useful here.
        var introduction: [String] { self == .qt ? ["QEventDispatcherGlib"] : [] }

        var arguments: [String] { self == .qt ? [Self.qtLibrary].compactMap(\.self) : [] }
    }

    @Test("The main queue and the main actor run in the main loop, on the main thread", arguments: Loop.here)
    func jobs(loop: Loop) throws {
        #expect(
            try run("served-jobs", in: loop).sorted() == [
                "after a sleep on the main thread", "after another job on the main thread",
                "block on the main thread", "detached job elsewhere", "job on the main thread",
            ]
        )
    }

    @Test("A hundred thousand blocks from another thread run in order", arguments: Loop.here)
    func order(loop: Loop) throws {
        #expect(try run("served-order", in: loop) == ["in order true on the main thread"])
    }

    @Test("A sequence can be read on the main actor", arguments: Loop.here)
    func sequence(loop: Loop) throws {
        #expect(
            try run("served-sequence", in: loop) == [
                "no user on the main thread", "x on the main thread", "y on the main thread",
            ]
        )
    }

    @Test("A listener that both loops could call is called once per change, in order", arguments: Loop.here)
    func listeners(loop: Loop) throws {
        #expect(try run("served-listeners", in: loop) == ["in order true"])
    }

    @Test("With nothing to run, the loop does not wake for the main queue", arguments: Loop.here)
    func idle(loop: Loop) throws {
        #expect(try run("served-idle", in: loop) == ["wake-ups 0"])
    }

    @Test("A second call, for another context, changes nothing", arguments: Loop.here)
    func twice(loop: Loop) throws {
        #expect(
            try run("served-twice", in: loop) == ["the other context had work: false", "block on the main thread"]
        )
    }

    @Test("Off the main thread, the program ends and says where the call belongs")
    func elsewhere() throws {
        let result = try start("served-elsewhere")
        #expect(result.status != 0)
        #expect(result.standardError.contains("Call it first in a main() that is not async"))
    }

    @Test("If another thread iterates the context, the program ends and says which one must")
    func iteratedElsewhere() throws {
        let result = try start("served-iterated-elsewhere")
        #expect(result.status != 0)
        #expect(result.standardError.contains("Run it on the main thread"))
    }

    @Test(
        "libdispatch has the functions by which another loop runs the main queue",
        arguments: ["_dispatch_get_main_queue_handle_4CF", "_dispatch_main_queue_callback_4CF"]
    )
    func symbols(name: String) {
        #expect(unsafe dlsym(nil, name) != nil, "\(name) is gone: serveMainQueue() needs another way")
    }

    private func run(_ program: String, in loop: Loop) throws -> [String] {
        let result = try start(program, loop.arguments)
        #expect(result.standardError == "")
        #expect(result.status == 0)
        let lines = result.standardOutput.split(separator: "\n").map(String.init)
        #expect(Array(lines.prefix(loop.introduction.count)) == loop.introduction)
        return Array(lines.dropFirst(loop.introduction.count))
    }

    private func start(_ program: String, _ more: [String] = []) throws -> ProcessResult {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        return try keyring.run(
            BuiltProducts.executable("TestPeer"),
            ["deliveries", program, "\(keyring.directory)/state"] + more
        )
    }
}
