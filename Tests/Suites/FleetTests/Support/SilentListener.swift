import Glibc
import TestSupport

/// A listener on the loopback interface, whose connections the kernel accepts even if no program answers.
final class SilentListener: Sendable {
    private let file: Int32
    let port: Int

    struct Failure: Error {}

    init() throws {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let size = length
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(file, address, size) == 0 && listen(file, 8) == 0
                    && getsockname(file, address, &length) == 0
            }
        }
        self.file = file
        port = Int(UInt16(bigEndian: address.sin_port))
        guard file >= 0, isListening else { throw Failure() }
    }

    deinit { close(file) }

    /// Waits for a connection. Returns nil once the listener has ended.
    func accepted() -> LocalSocket? { LocalSocket(file: file).accepted() }

    /// Ends the wait for connections.
    func end() { LocalSocket(file: file).shutDown() }
}
