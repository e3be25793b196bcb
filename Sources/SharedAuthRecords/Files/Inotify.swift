internal import Glibc

/// The calls of inotify that fail when a limit of the system is reached, which no test can bring about without harm to
/// others.
struct InotifyCalls: Sendable {
    /// Opens a queue of notifications; the result is negative if `errno` says why not.
    let makeQueue: @Sendable () -> Int32
    /// Adds a watch to a queue; the result is negative if `errno` says why not.
    let addWatch: @Sendable (_ queue: Int32, _ path: String, _ mask: UInt32) -> Int32

    /// The kernel's.
    static let live = InotifyCalls(
        makeQueue: { inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) },
        addWatch: { queue, path, mask in unsafe inotify_add_watch(queue, path, mask) }
    )

    func open() throws(SystemError) -> Int32 {
        let queue = makeQueue()
        guard queue >= 0 else { throw .last }
        return queue
    }

    func add(_ queue: Int32, _ path: String, _ mask: UInt32) -> Result<Int32, SystemError> {
        let watch = addWatch(queue, path, mask)
        return watch < 0 ? .failure(.last) : .success(watch)
    }

    /// What to tell of a call that failed because a limit is reached; nil if it failed for another reason.
    static func limitReached(_ error: SystemError) -> RecordStoreError? {
        let limit: String
        switch error.number {
        case ENOSPC: limit = "fs.inotify.max_user_watches"
        case EMFILE: limit = "fs.inotify.max_user_instances, or the process's limit of open files (ulimit -n)"
        default: return nil
        }
        return RecordStoreError(
            .failed,
            "Changes of the store cannot be watched, as this user watches as many files as the system allows.",
            remedy: "Raise \(limit), or end programs that watch many files.",
            underlying: error
        )
    }
}

/// One notification of inotify.
struct Notification {
    let watch: Int32
    let mask: UInt32
    /// The entry it is about; empty for the watched directory itself.
    let name: String

    /// Those that are waiting, in order.
    static func read(from file: Int32) -> [Notification] {
        var notifications: [Notification] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return notifications }
            var rest = buffer[..<count]
            while let notification = Notification(parsing: &rest) { notifications.append(notification) }
        }
    }

    /// Takes the first one of the kernel's bytes: watch, mask, cookie and length of the name, then the name with zeros.
    private init?(parsing bytes: inout ArraySlice<UInt8>) {
        guard bytes.count >= MemoryLayout<inotify_event>.size else { return nil }
        let numbers = (0..<4).map { place in
            let start = bytes.startIndex + place * 4
            return unsafe bytes[start..<start + 4].withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
        }
        let text = bytes.dropFirst(16).prefix(Int(numbers[3]))
        watch = Int32(bitPattern: numbers[0])
        mask = numbers[1]
        name = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        bytes = bytes.dropFirst(16 + Int(numbers[3]))
    }
}
