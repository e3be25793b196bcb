internal import Glibc

/// The inotify calls that fail when a system limit is reached, replaceable because tests cannot reach the limit without
/// affecting other programs.
package struct InotifyCalls: Sendable {
    /// Opens an inotify descriptor. Returns a negative number on failure and sets `errno`.
    package let makeQueue: @Sendable () -> Int32
    /// Adds a watch to a descriptor. Returns a negative number on failure and sets `errno`.
    package let addWatch: @Sendable (_ queue: Int32, _ path: String, _ mask: UInt32) -> Int32

    package init(
        makeQueue: @escaping @Sendable () -> Int32,
        addWatch: @escaping @Sendable (_ queue: Int32, _ path: String, _ mask: UInt32) -> Int32
    ) {
        (self.makeQueue, self.addWatch) = (makeQueue, addWatch)
    }

    /// The kernel's calls.
    package static let live = InotifyCalls(
        makeQueue: { inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) },
        addWatch: { queue, path, mask in unsafe inotify_add_watch(queue, path, mask) }
    )

    package func open() throws(SystemError) -> Int32 {
        let queue = makeQueue()
        guard queue >= 0 else { throw .last }
        return queue
    }

    package func add(_ queue: Int32, _ path: String, _ mask: UInt32) -> Result<Int32, SystemError> {
        let watch = addWatch(queue, path, mask)
        return watch < 0 ? .failure(.last) : .success(watch)
    }

    /// Returns the error for a call that failed because a limit is reached; nil if it failed for another reason.
    package static func limitReached(_ error: SystemError) -> RecordStoreError? {
        let limit: String
        switch error.number {
        case ENOSPC: limit = "fs.inotify.max_user_watches"
        case EMFILE: limit = "fs.inotify.max_user_instances, or the process's limit of open files (ulimit -n)"
        default: return nil
        }
        return RecordStoreError(
            .failed,
            "The store cannot be watched for changes: this user has reached the system's limit of watched files.",
            remedy: "Raise \(limit), or end programs that watch many files.",
            underlying: error
        )
    }
}

/// An inotify event.
package struct Notification {
    package let watch: Int32
    package let mask: UInt32
    /// The name of the directory entry; empty for the watched directory itself.
    package let name: String

    /// Reads the pending events, in order.
    package static func read(from file: Int32) -> [Notification] {
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

    /// Parses the first event of the kernel's bytes: watch, mask, cookie and length of the name, then the name padded
    /// with zeros.
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
