internal import DesktopSupport
internal import Dispatch
internal import Glibc

/// Why `watch` or `wait` cannot go on.
enum ExitCondition: Sendable {
    /// The reader of standard output has closed it.
    case readerGone
    /// The directory of the bus socket is gone, and the session with it.
    case sessionOver(directory: String)

    /// Calls `report` on a thread of its own when there is one. The system reports it, so nothing is polled.
    ///
    /// - Parameter needsReader: whether a reader of standard output that goes is one.
    static func observe(
        _ directory: BusDirectory?,
        needsReader: Bool,
        report: @escaping @Sendable (ExitCondition) -> Void
    ) {
        let changes = directory.flatMap { $0.observe() }
        DispatchQueue(label: "sharedauth.exit-condition").async {
            while true {
                var waiting = [
                    pollfd(fd: needsReader ? STDOUT_FILENO : -1, events: 0, revents: 0),
                    pollfd(fd: changes ?? -1, events: Int16(POLLIN), revents: 0),
                ]
                if unsafe poll(&waiting, 2, -1) < 0 {
                    if errno == EINTR { continue }
                    return
                }
                if waiting[0].revents != 0 { return report(.readerGone) }
                if let directory, directory.isGone { return report(.sessionOver(directory: directory.path)) }
                if let changes { drain(changes) }
            }
        }
    }

    private static func drain(_ changes: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        _ = unsafe read(changes, &buffer, buffer.count)
    }
}

/// The directory in which the socket of the session's bus is.
struct BusDirectory: Sendable {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// The directory that the environment names; nil where the bus has no socket in the file system, or it is not
    /// there.
    init?() {
        guard let socket = Self.socket, let slash = socket.lastIndex(of: "/"), slash > socket.startIndex else {
            return nil
        }
        let path = String(socket[..<slash])
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        (self.path, device, inode) = (path, status.st_dev, status.st_ino)
    }

    /// Whether the directory, or the file system that it was the root of, is there no more.
    var isGone: Bool {
        var status = stat()
        return unsafe stat(path, &status) != 0 || status.st_dev != device || status.st_ino != inode
    }

    /// A file that can be read from whenever something may have become of the directory; nil if the system has none
    /// left.
    fileprivate func observe() -> Int32? {
        let changes = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard changes >= 0 else { return nil }
        // An unmount is reported without a flag for it; an open file in the directory delays that, but not a change of
        // its name.
        unsafe inotify_add_watch(changes, path, UInt32(IN_DELETE_SELF | IN_MOVE_SELF))
        unsafe inotify_add_watch(changes, "\(path)/..", UInt32(IN_DELETE | IN_MOVED_FROM))
        return changes
    }

    /// The path of the socket, in the first address that has one.
    private static var socket: String? {
        guard let addresses = Environment["DBUS_SESSION_BUS_ADDRESS"] else {
            return Environment["XDG_RUNTIME_DIR"].map { "\($0)/bus" }
        }
        return addresses.split(separator: ";").lazy.compactMap(path).first
    }

    /// The path in an address such as `unix:path=/run/user/1000/bus,guid=0123`, where bytes are escaped as `%20`.
    private static func path(in address: Substring) -> String? {
        guard address.hasPrefix("unix:") else { return nil }
        let pairs = address.dropFirst(5).split(separator: ",")
        guard let value = pairs.first(where: { $0.hasPrefix("path=") })?.dropFirst(5).utf8 else { return nil }
        var bytes: [UInt8] = []
        var rest = value[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
