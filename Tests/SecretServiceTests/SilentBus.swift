import Foundation
import Glibc
import TestSupport

/// A socket that authenticates whoever connects, and says nothing more.
final class SilentBus: Sendable {
    let path = "/tmp/silent-bus-\(UUID().uuidString)"
    /// What came from those who connected.
    let received = Recorder<String>()
    private let listener: Int32

    init() throws {
        let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        listener = listening
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in unsafe bytes.copyBytes(from: path.utf8) }
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listening, address, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(listening, 8) == 0 else { throw PrivateKeyringFailure() }
        Thread.detachNewThread { [received] in Self.serve(listening, received) }
    }

    deinit {
        // This ends the thread's wait.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        unsafe unlink(path)
    }

    private static func serve(_ listener: Int32, _ received: Recorder<String>) {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            defer { close(client) }
            var isAccepted = false
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = unsafe read(client, &buffer, buffer.count)
                guard count > 0 else { break }
                received.record(String(decoding: buffer.prefix(count), as: UTF8.self))
                guard !isAccepted else { continue }
                isAccepted = true
                let answer = "OK 0123456789abcdef0123456789abcdef\r\n"
                _ = unsafe write(client, answer, answer.utf8.count)
            }
        }
    }
}
