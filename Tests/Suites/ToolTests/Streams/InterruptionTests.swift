import Glibc
import SecretService
import TestSupport
import Testing

/// Tests signals while the keyring opens a session. A daemon may die if the client leaves at that time.
@Suite(.serialized)
struct InterruptionTests {
    @Test(
        "On a signal, output ends immediately, and the process when the session is open",
        arguments: [SIGTERM, SIGINT],
        ["sign-in", "watch"]
    )
    func openingSession(_ signal: Int32, _ verb: String) throws {
        let bench = try InterruptionBench("slow=OpenSession:900")
        let program = try bench.startAndAwaitOpenSession(verb)
        program.process.signal(signal)
        try bench.expectEndOfOutput(of: program)
        // A shell ends its script only if its program was ended by the signal.
        #expect(program.process.diesOfSignal() == (verb != "watch"))
        #expect(program.process.wait() == (verb == "watch" ? 0 : 128 + signal))
        // The daemon would have ended if the connection had been closed before its reply.
        #expect(try bench.service.daemon() == bench.daemon)
    }

    @Test("A process whose session never opens waits for one second")
    func neverOpened() throws {
        let bench = try InterruptionBench("slow=OpenSession:60000")
        let program = try bench.startAndAwaitOpenSession("sign-in")
        let start = ContinuousClock.now
        program.process.signal(SIGTERM)
        try bench.expectEndOfOutput(of: program)
        #expect(program.process.wait() == 128 + SIGTERM)
        #expect(ContinuousClock.now - start >= .milliseconds(900))
        #expect(ContinuousClock.now - start < .seconds(4))
    }

    @Test("A signal ignored at the start stays ignored, and others end a wait")
    func ignoredSignal()
        throws
    {
        let bench = try InterruptionBench("silent=SearchItems")
        let program = try bench.start("status", ignoring: "INT")
        try bench.calls.await("SearchItems")
        program.process.signal(SIGINT)
        program.process.signal(SIGTERM)
        #expect(program.process.wait() == 128 + SIGTERM)
    }
}

/// The tool, and a keyring daemon that dies if a client leaves before a slow reply.
private final class InterruptionBench {
    let keyring: PrivateKeyring
    let service: SecretService
    let calls: BusCalls
    let daemon: KeyringDaemon
    private let tool: Shell
    private let commands: Int32

    init(_ word: String) throws {
        keyring = try PrivateKeyring(state: .noDaemon)
        let ends = try SocketPair()
        commands = ends.ours
        defer { close(ends.theirs) }
        service = keyring.makeService(waitsForDaemon: true)
        let arguments = ["scripted-daemon", "fragile"]
        // A user is signed in below, so that every verb has a secret to read.
        _ = try keyring.start(
            BuiltProducts.executable("TestDaemon"),
            arguments,
            input: ends.theirs,
            output: ends.theirs
        )
        _ = try service.collections()
        daemon = try service.daemon()
        tool = try Shell(in: keyring)
        #expect(try tool("sign-in", "--anonymous").status == 0)
        calls = try BusCalls(of: keyring)
        let line = Array("\(word)\n".utf8)
        _ = unsafe line.withUnsafeBytes { bytes in unsafe write(commands, bytes.baseAddress, bytes.count) }
        var byte: UInt8 = 0
        while byte != 10 { guard unsafe read(commands, &byte, 1) == 1 else { throw NothingToRead() } }
    }

    deinit {
        close(commands)
        keyring.shutdown()
    }

    func start(_ verb: String, ignoring ignored: String = "") throws -> RunningProgram {
        let words = verb == "sign-in" ? [verb, "--anonymous"] : [verb]
        let script = #"if [ "$0" ]; then trap "" "$0"; fi; exec "$@""#
        let program = try BuiltProducts.executable("sharedauth")
        return try RunningProgram(
            path: "/bin/bash",
            ["-c", script, ignored, program] + words + tool.identity,
            in: keyring
        )
    }

    func startAndAwaitOpenSession(_ verb: String) throws -> RunningProgram {
        let program = try start(verb)
        try calls.await("OpenSession")
        return program
    }

    /// Expects the output to end while the process is still running.
    func expectEndOfOutput(of program: RunningProgram) throws {
        #expect(throws: NothingToRead.self) { try program.line() }
        #expect(program.process.isRunning)
    }
}
