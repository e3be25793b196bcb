internal import Dispatch
internal import Glibc
internal import SharedAuthRecords
internal import Synchronization

/// Reports changes to the entries of a directory and to the directory itself, using inotify.
///
/// The kernel wakes a dispatch queue; there is no timer. The parent directory is watched too, to notice when a
/// directory that was gone returns.
final class DirectoryWatch: Sendable {
    enum Event: Hashable {
        /// The entry of this name may have changed.
        case entry(String)
        /// Anything may have changed.
        case everything
        /// The directory is gone.
        case vanished
        /// The directory exists again, or was replaced by another.
        case appeared
        /// The watch has ended because the parent directory is gone or the kernel's watch limit is reached.
        case closed
    }

    private struct Places {
        var directory: Int32?
        var parent: Int32?
    }

    private static let entryMask = UInt32(
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB
    )
    private static let selfMask = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
    private static let lostMask = selfMask | UInt32(IN_IGNORED | IN_UNMOUNT)

    private let path: String
    private let parent: String
    private let name: String
    private let calls: InotifyCalls
    private let notifications: Int32
    private let places = Mutex(Places())
    // Created once by `init` and cancelled once by `deinit`; a source is thread-safe.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// Watches an existing directory. `handle` is called on one queue, with a batch of events without repetitions.
    ///
    /// - Throws: The error of the watch on the directory, or on its parent if the kernel's watch limit is reached.
    init(
        _ path: String,
        _ calls: InotifyCalls = .live,
        _ handle: @escaping @Sendable ([Event]) -> Void
    ) throws(SystemError) {
        let absolute = path.hasPrefix("/") ? path : "./\(path)"
        let parts = absolute.split(separator: "/")
        self.path = path
        name = parts.last.map(String.init) ?? "."
        parent = (absolute.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/")
        self.calls = calls
        notifications = try calls.open()
        unsafe source = DispatchSource.makeReadSource(
            fileDescriptor: notifications,
            queue: DispatchQueue(label: "SharedAuth.DirectoryWatch")
        )
        unsafe source.setCancelHandler { [notifications] in close(notifications) }
        let above = addParent()
        let found = addDirectory()
        places.withLock { $0 = Places(directory: try? found.get(), parent: try? above.get()) }
        unsafe source.setEventHandler { [weak self] in
            guard let self else { return }
            let events = take()
            if !events.isEmpty { handle(events) }
        }
        unsafe source.activate()
        _ = try found.get()
        // Without a watch on the parent directory, the return of a deleted store would not be noticed.
        if case .failure(let error) = above, InotifyCalls.limitReached(error) != nil { throw error }
    }

    deinit { unsafe source.cancel() }

    private func addDirectory() -> Result<Int32, SystemError> {
        calls.add(notifications, path, Self.entryMask | Self.selfMask | UInt32(IN_ONLYDIR))
    }

    private func addParent() -> Result<Int32, SystemError> {
        let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE) | Self.selfMask
        return calls.add(notifications, parent, mask | UInt32(IN_ONLYDIR))
    }

    /// Reads the pending events, each one once.
    private func take() -> [Event] {
        var events: [Event] = []
        for notification in Notification.read(from: notifications) {
            for event in self.events(of: notification) where !events.contains(event) { events.append(event) }
        }
        return events
    }

    private func events(of notification: Notification) -> [Event] {
        if notification.mask & UInt32(IN_Q_OVERFLOW) != 0 {
            // The lost events may have concerned the directory itself.
            return look() + [.everything]
        }
        let isLost = notification.mask & Self.lostMask != 0
        let (isDirectory, isParent) = places.withLock {
            ($0.directory == notification.watch, $0.parent == notification.watch)
        }
        if isDirectory {
            if isLost { return look() }
            return notification.name.isEmpty ? [.everything] : [.entry(notification.name)]
        }
        if isParent {
            if isLost {
                places.withLock { $0.parent = nil }
                return look() + [.closed]
            }
            return notification.name == name ? look() : []
        }
        return []
    }

    /// Watches the directory that now has the path.
    private func look() -> [Event] {
        places.withLock { places in
            let added = addDirectory()
            let found = try? added.get()
            defer { places.directory = found }
            if let old = places.directory, old != found { inotify_rm_watch(notifications, old) }
            if case .failure(let error) = added, InotifyCalls.limitReached(error) != nil {
                return [.vanished, .closed]
            }
            return switch (places.directory, found) {
            case (nil, nil): []
            case (_, nil): [.vanished]
            case (let old, let found): old == found ? [] : [.appeared]
            }
        }
    }
}
