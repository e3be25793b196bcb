import Foundation
import Glibc
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import PassStandInServer

/// The stand-in server as a separate process, which a test kills and starts again.
final class ServerProcess: Site {
    let keyring = InMemoryRecordStore()
    let port: Int
    private var child: ChildProcess?
    private var lines: AsyncStream<String>.Iterator?

    var password: String { ServerState.password }
    var address: String { "http://127.0.0.1:\(port)" }
    var now: @Sendable () -> Date { { Date() } }

    /// Starts the server at an unused port.
    ///
    /// The port is outside the range that the system assigns, so that it is still free when the server restarts.
    init() async throws {
        for _ in 1...20 {
            let port = Int.random(in: 10_000..<30_000)
            let (child, output) = try Self.launch(port)
            var lines = Self.lines(of: output).makeAsyncIterator()
            if await lines.next() == "http://127.0.0.1:\(port)", await lines.next() == "statement" {
                (self.port, self.child, self.lines) = (port, child, lines)
                return
            }
            child.end()
        }
        throw Unexpected()
    }

    deinit { child?.end() }

    /// Starts the server again at the same port, with an empty state.
    func start() async throws {
        let (child, output) = try Self.launch(port)
        self.child = child
        var lines = Self.lines(of: output).makeAsyncIterator()
        try #require(await lines.next() == address)
        try #require(await lines.next() == "statement")
        self.lines = lines
    }

    /// Kills the process as `kill -9` does, and waits for its end.
    func kill() {
        child?.end()
        child = nil
    }

    /// Waits until the server holds back a spoilt response of this endpoint.
    func spoils(_ endpoint: String) async throws {
        while let line = await lines?.next() {
            let event = JSONValue(bytes: line.utf8)
            if event?["event"]?.string == "spoilt", event?["endpoint"]?.string == endpoint { return }
        }
        throw Unexpected()
    }

    private static func launch(_ port: Int) throws -> (ChildProcess, output: Int32) {
        let output = try SocketPair()
        defer { close(output.theirs) }
        let child = try PrivateKeyring.shared.get().start(
            try BuiltProducts.executable("PassStandIn"),
            ["--port", "\(port)", "--statement", "statement", "--events"],
            output: output.theirs
        )
        return (child, output.ours)
    }

    /// Returns the lines that a process writes until its end.
    private static func lines(of output: Int32) -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            let file = FileHandle(fileDescriptor: output, closeOnDealloc: true)
            var rest = Data()
            while case let data = file.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            continuation.finish()
        }
        return lines
    }
}
