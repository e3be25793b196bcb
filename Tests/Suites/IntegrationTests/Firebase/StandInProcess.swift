import FoundationEssentials
import Glibc
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

/// The stand-in for Firebase as a separate process that tests can kill.
final class StandInProcess: Sendable {
    let child: ChildProcess
    let port: Int
    private let streams: SocketPair

    private init(_ child: ChildProcess, _ streams: SocketPair, port: Int) {
        self.child = child
        self.streams = streams
        self.port = port
    }

    deinit {
        close(streams.ours)
        child.end()
    }

    /// Starts the stand-in and waits until it prints its address.
    static func started(_ world: AppFixture) async throws -> StandInProcess {
        let streams = try SocketPair()
        let program = try BuiltProducts.executable("FirebaseStandIn")
        let child = try world.keyring.start(
            program,
            ["--port", "0"],
            input: streams.theirs,
            output: streams.theirs
        )
        close(streams.theirs)
        let line = firstLine(from: streams.ours)
        let port = try #require(URL(string: line)?.port, "\(line)")
        return StandInProcess(child, streams, port: port)
    }

    private static func firstLine(from file: Int32) -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(file, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Sends a request to the stand-in's interface for tests.
    func control(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async throws -> JSONObject {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/stand-in/\(path)"))
        let request = HTTPRequest(
            method,
            url,
            headers: ["Content-Type": "application/json"],
            body: body.map { Array($0.utf8) }
        )
        return try #require(JSONObject(try await HTTPClient().send(request, retrying: .never).body))
    }
}
