import Dispatch
import Glibc
import Synchronization
import TestSupport

/// A server on `127.0.0.1` whose connections a test scripts, on a separate thread.
final class RawHTTPServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let received: Recorder<String>

    /// The bytes received, one element per request: line, headers and body.
    var requests: [String] { received.events }

    /// Serves connections. `answer` receives the number of the connection, from 1. The request has been read already
    /// unless `readsRequest` is false.
    init(readsRequest: Bool = true, _ answer: @escaping @Sendable (ServedConnection, Int) -> Void) throws {
        let received = Recorder<String>()
        self.received = received
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, size)
                unsafe getsockname(listener, address, &size)
            }
            return UInt16(bigEndian: unsafe address.pointee.sin_port)
        }
        self.listener = listener
        listen(listener, 64)
        DispatchQueue(label: "scripted-server").async {
            var number = 0
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    // No other code closes it: its number could become another socket's while this thread still uses
                    // it.
                    close(listener)
                    return
                }
                number += 1
                let served = ServedConnection(connection)
                DispatchQueue(label: "scripted-connection").async { [number] in
                    let head = readsRequest ? served.readHead() : ""
                    if let head {
                        received.record(head)
                        answer(served, number)
                    }
                    served.close()
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Creates a server that gives the same response to each request.
    convenience init(answering answer: String) throws {
        try self.init { connection, _ in connection.send(answer) }
    }

    /// Creates a server that responds with a status, headers and a body, and closes.
    convenience init(_ status: Int, _ headers: [String] = [], _ body: String = "") throws {
        try self.init(answering: Self.answer(status, headers, body))
    }

    static func answer(_ status: Int, _ headers: [String] = [], _ body: String = "") -> String {
        let lines = ["HTTP/1.1 \(status) Status", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
        return (lines + ["", body]).joined(separator: "\r\n")
    }
}

/// A connection of a ``RawHTTPServer``.
final class ServedConnection: Sendable {
    private let descriptor: Mutex<Int32>

    init(_ descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
    }

    /// Sends text. Returns false if the other side has closed.
    @discardableResult
    func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        let descriptor = descriptor.withLock { $0 }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits until the other side closes. Returns what it sent until then.
    @discardableResult
    func readToEnd() -> [UInt8] {
        var all: [UInt8] = []
        while let bytes = read(), !bytes.isEmpty { all += bytes }
        return all
    }

    /// Returns the next bytes: empty at the end, or nil after an error.
    func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor.withLock { $0 }, &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer.prefix(count))
    }

    /// Returns the request's line and headers, and its body by `Content-Length`; nil if the connection ended before.
    func readHead() -> String? {
        var text = ""
        while true {
            if let end = text.firstRange(of: "\r\n\r\n") {
                let head = text[..<end.lowerBound]
                let length =
                    head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.drop { $0 != " " }.dropFirst()) } ?? 0
                if text[end.upperBound...].utf8.count >= length { return text }
            }
            guard let bytes = read(), !bytes.isEmpty else { return nil }
            text += String(decoding: bytes, as: UTF8.self)
        }
    }

    func close() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            // A program that another test starts meanwhile may have inherited the descriptor.
            shutdown(descriptor, Int32(SHUT_RDWR))
            Glibc.close(descriptor)
            descriptor = -1
        }
    }
}
