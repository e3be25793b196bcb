internal import DesktopSupport
internal import Dispatch
internal import Glibc

/// The reason `watch` or `wait` ends.
enum ExitCondition: Sendable {
    /// The reader of standard output closed it.
    case readerGone
    /// The directory of the bus socket was removed, so the session has ended.
    case sessionOver(directory: String)

    /// Calls `report` on a separate thread when a condition occurs. The system reports the conditions; nothing is
    /// polled.
    ///
    /// - Parameter needsReader: True if a closed standard output is a condition.
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

/// The directory that contains the socket of the session's bus.
struct BusDirectory: Sendable {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Creates the directory that the environment names. Returns nil if the bus has no socket in the file system, or
    /// the directory does not exist.
    init?() {
        guard let socket = Self.socket, let slash = socket.lastIndex(of: "/"), slash > socket.startIndex else {
            return nil
        }
        let path = String(socket[..<slash])
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        (self.path, device, inode) = (path, status.st_dev, status.st_ino)
    }

    /// Indicates whether the directory, or the file system mounted on it, no longer exists.
    var isGone: Bool {
        var status = stat()
        return unsafe stat(path, &status) != 0 || status.st_dev != device || status.st_ino != inode
    }

    /// Returns a descriptor that becomes readable when something may have happened to the directory; nil if no
    /// descriptor is left.
    fileprivate func observe() -> Int32? {
        let changes = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard changes >= 0 else { return nil }
        // An unmount is reported without a flag for it. An open file in the directory delays the report of its
        // deletion, but the parent reports the removal of its name without delay.
        unsafe inotify_add_watch(changes, path, UInt32(IN_DELETE_SELF | IN_MOVE_SELF))
        unsafe inotify_add_watch(changes, "\(path)/..", UInt32(IN_DELETE | IN_MOVED_FROM))
        return changes
    }

    /// The path of the socket from the first address that has one.
    private static var socket: String? {
        guard let addresses = Environment["DBUS_SESSION_BUS_ADDRESS"] else {
            return Environment["XDG_RUNTIME_DIR"].map { "\($0)/bus" }
        }
        return addresses.split(separator: ";").lazy.compactMap(path).first
    }

    /// Returns the path in an address such as `unix:path=/run/user/1000/bus,guid=0123`, with escapes such as `%20`
    /// decoded.
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
