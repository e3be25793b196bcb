import FoundationEssentials
import Glibc
import SharedAuthHTTP
import TestSupport
import Testing

/// Tests the memory of a stand-in that a program floods.
struct StandInMemoryTests {
    private static let megabytes = 64

    @Test("A body that is too long is refused and not kept in memory", arguments: [false, true])
    func body(_ isChunked: Bool) async throws {
        let server = try await StandInProcess.started(AppFixture())
        let before = try server.greatestMemory
        let answer = try Self.flood(server.port, isChunked: isChunked)
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        #expect(try server.greatestMemory - before < Self.megabytes / 4)
        #expect(try await server.control(.get, "settings").members.isEmpty == false)
    }

    /// Posts a body and returns the response.
    private static func flood(_ port: Int, isChunked: Bool) throws -> String {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(connection) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(connection, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
        let size = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(megabytes << 20)"
        try send(
            "POST /stand-in/clock HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\(size)\r\n\r\n",
            connection
        )
        let megabyte = String(repeating: "x", count: 1 << 20)
        for _ in 1...megabytes { try send(isChunked ? "100000\r\n\(megabyte)\r\n" : megabyte, connection) }
        if isChunked { try send("0\r\n\r\n", connection) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(connection, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    private static func send(_ text: String, _ connection: Int32) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            try #require(count > 0)
            bytes = bytes.dropFirst(count)
        }
    }
}

extension StandInProcess {
    /// The peak memory of the process, in megabytes.
    fileprivate var greatestMemory: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(child.processID)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            return try #require(line.split { !$0.isNumber }.first.flatMap { Int($0) }) / 1024
        }
    }
}
