import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSupport

/// An app in a separate process, which runs commands and reports its notifications.
final class PassPeerProcess {
    /// An app's identity, and the SDK that it was built with.
    struct App {
        var appID: String
        var group: String?
        var requestor: String
        var generation = "separateBuckets"
        var policy = "ignore"
        var device = "vendor"
    }

    /// The error if the process ended before it wrote the expected line.
    struct Silence: Error {}

    let child: ChildProcess
    private let commands: Int32
    private let output: FileHandle
    private var lines: AsyncStream<String>.Iterator
    private var heard: [String] = []

    init(_ app: App, project: String, in keyring: PrivateKeyring) throws {
        let machineID = "\(keyring.directory)/machine-id"
        try Data("0123456789abcdef0123456789abcdef\n".utf8).write(to: URL(filePath: machineID))
        let (input, output) = (try SocketPair(), try SocketPair())
        child = try keyring.start(
            try BuiltProducts.executable("PassPeer"),
            [
                app.appID, app.group ?? "-", project, keyring.busAddress, machineID, app.generation, app.policy,
                app.device, app.requestor,
            ],
            input: input.theirs,
            output: output.theirs
        )
        close(input.theirs)
        close(output.theirs)
        commands = input.ours
        self.output = FileHandle(fileDescriptor: output.ours, closeOnDealloc: true)
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        self.lines = lines.makeAsyncIterator()
        let splitter = LineSplitter(continuation)
        self.output.readabilityHandler = { handle in
            let data = handle.availableData
            splitter.receive(data)
            if data.isEmpty { handle.readabilityHandler = nil }
        }
    }

    deinit {
        close(commands)
        output.readabilityHandler = nil
        child.end()
    }

    /// Sends a command and waits for the answer.
    func obey(_ command: String) async throws -> String {
        tell(command)
        let verb = "\(command.prefix { $0 != " " }) "
        while let line = await lines.next() {
            if line.hasPrefix(verb) { return String(line.dropFirst(verb.count)) }
            heard.append(line)
        }
        throw Silence()
    }

    /// Sends a command without waiting.
    func tell(_ command: String) {
        let line = Array("\(command)\n".utf8)
        _ = unsafe line.withUnsafeBytes { unsafe send(commands, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Returns the next notification that the process reported.
    func hear() async throws -> String {
        if !heard.isEmpty { return String(heard.removeFirst().dropFirst(2)) }
        guard let line = await lines.next() else { throw Silence() }
        return String(line.dropFirst(2))
    }
}

/// Splits the output of a process into lines.
private final class LineSplitter: Sendable {
    private let rest = Mutex<[UInt8]>([])
    private let continuation: AsyncStream<String>.Continuation

    init(_ continuation: AsyncStream<String>.Continuation) { self.continuation = continuation }

    /// Adds output of the process; empty data means its end.
    func receive(_ data: Data) {
        if data.isEmpty { return continuation.finish() }
        rest.withLock { rest in
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
    }
}
