import Foundation
import Glibc
import SecretService
import TestSupport
import Testing

/// Tests how `watch` ends.
@Suite(.serialized)
struct WatchEndTests {
    @Test("A signal ends watch immediately while the keyring does not reply", arguments: [SIGTERM, SIGINT])
    func signalDuringStart(_ signal: Int32) throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let tool = try Shell(in: keyring)
        let call = try BusCalls(of: keyring)
        keyring.stopDaemon()
        let watch = try RunningProgram("sharedauth", ["watch"] + tool.identity, in: keyring)
        // Wait until the tool has sent its call.
        try call.await("org.freedesktop.Secret.")
        let start = ContinuousClock.now
        watch.process.signal(signal)
        #expect(watch.process.wait() == 0)
        #expect(ContinuousClock.now - start < .seconds(3))
        keyring.continueDaemon()
    }

    @Test("watch ends immediately and quietly when its reader closes the pipe")
    func readerGone() throws {
        let tool = try Shell()
        let program = try BuiltProducts.executable("sharedauth")
        let script = #"timeout 20 "$@" | head -n 1; echo "${PIPESTATUS[0]}""#
        let result = try tool.keyring.run("/bin/bash", ["-c", script, "bash", program, "watch"] + tool.identity)
        #expect(result.standardOutput == "auth-state  signed-out\n0\n")
        #expect(result.standardError.isEmpty)
    }

    @Test("A line that cannot be written ends watch with status 74")
    func unwritableLine() throws {
        let tool = try Shell()
        let program = try BuiltProducts.executable("sharedauth")
        let script = #"timeout 20 "$@" >/dev/full"#
        let result = try tool.keyring.run("/bin/bash", ["-c", script, "bash", program, "watch"] + tool.identity)
        #expect(result.status == 74)
        #expect(result.hasOneLineOfComplaint)
    }

    @Test("watch exits with status 69 if the directory of the bus socket is gone", arguments: ["removed", "moved"])
    func busDirectoryGone(_ way: String) throws {
        let bench = try WatchBench()
        let watch = try bench.start()
        #expect(try watch.line() == "auth-state  signed-out")
        if way == "removed" {
            try FileManager.default.removeItem(atPath: bench.runtime)
        } else {
            try FileManager.default.moveItem(atPath: bench.runtime, toPath: "\(bench.runtime)-away")
        }
        #expect(watch.process.wait() == 69)
        #expect(try bench.complaints().count == 1)
        #expect(try bench.complaints().first?.contains(bench.runtime) == true)
    }

    @Test("watch reports a closed bus once and continues")
    func busGone() throws {
        let keyring = try PrivateKeyring()
        defer { keyring.shutdown() }
        let bench = try WatchBench(in: keyring)
        let watch = try bench.start()
        #expect(try watch.line() == "auth-state  signed-out")
        keyring.killBus()
        try bench.awaitComplaint()
        watch.process.signal(SIGTERM)
        #expect(watch.process.wait() == 0)
        #expect(try bench.complaints().count == 1)
        #expect(try bench.complaints().first?.contains("not observed at present") == true)
    }
}

/// A `watch` that reaches the bus socket through a separate directory, and writes its errors to a file.
private struct WatchBench {
    let tool: Shell
    let runtime: String
    private let log: String

    init(in keyring: PrivateKeyring? = nil) throws {
        tool = try Shell(in: keyring)
        runtime = "\(tool.keyring.directory)/runtime-\(UUID().uuidString)"
        log = "\(runtime).log"
        try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: true)
        let socket = String(tool.keyring.busAddress.dropFirst("unix:path=".count))
        try FileManager.default.createSymbolicLink(atPath: "\(runtime)/bus", withDestinationPath: socket)
        try Data().write(to: URL(filePath: log))
    }

    func start() throws -> RunningProgram {
        let program = try BuiltProducts.executable("sharedauth")
        let script = #"exec 2>"$0"; export DBUS_SESSION_BUS_ADDRESS="unix:path=$1/bus"; shift; exec "$@""#
        return try RunningProgram(
            path: "/bin/bash",
            ["-c", script, log, runtime, program, "watch"] + tool.identity,
            in: tool.keyring
        )
    }

    func complaints() throws -> [Substring] {
        try String(contentsOf: URL(filePath: log), encoding: .utf8).split(separator: "\n")
    }

    /// Waits until the log is written, for two minutes at most.
    func awaitComplaint() throws {
        let changes = inotify_init1(Int32(IN_CLOEXEC))
        defer { close(changes) }
        unsafe inotify_add_watch(changes, log, UInt32(IN_MODIFY))
        if try !complaints().isEmpty { return }
        var waiting = [pollfd(fd: changes, events: Int16(POLLIN), revents: 0)]
        guard unsafe poll(&waiting, 1, 120_000) == 1 else { throw NothingToRead() }
    }
}
