import Glibc

/// A port on `127.0.0.1` whose connection queue is full, so that connecting blocks until a timeout.
final class FullListener {
    let port: UInt16
    private var sockets: [Int32] = []

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var all = [listener]
        port = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, size)
                listen(listener, 0)
                unsafe getsockname(listener, address, &size)
                for _ in 1...4 {
                    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                    unsafe connect(client, address, size)
                    all.append(client)
                }
            }
            return UInt16(bigEndian: unsafe address.pointee.sin_port)
        }
        sockets = all
    }

    deinit {
        for socket in sockets { close(socket) }
    }
}
