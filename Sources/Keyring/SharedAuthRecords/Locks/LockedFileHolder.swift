internal import DesktopSupport
internal import Glibc

extension LockWait.Holder {
    /// Finds the holder of a lock on a file; nil if the file is not locked or does not exist.
    ///
    /// The kernel lists only processes that are visible to this one. Locks of other processes, such as those outside a
    /// sandbox with its own PID namespace or on another machine of a network file system, are not listed at all.
    init?(ofFile path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        let file = FileIdentity(status)
        guard let locks = text(ofFile: "/proc/locks") else { return nil }
        for lock in locks.split(separator: "\n").compactMap(HeldFileLock.init) where lock.inode == file.inode {
            let uses = file.uses(by: lock.processID)
            // File systems such as Btrfs report a different device here than `stat` does.
            guard lock.device == file.device || uses?.isEmpty == false else { continue }
            self = Self.holder(of: file, lockedBy: lock.processID, uses)
            return
        }
        return nil
    }

    /// Returns the holder of a lock that this process has acquired, or a process that has ended or closed the file: a
    /// child of it that inherited the file then keeps the lock.
    private static func holder(
        of file: FileIdentity,
        lockedBy processID: Int32,
        _ uses: [FileIdentity.Use]?
    ) -> LockWait.Holder {
        let process = HoldingProcess(processID: processID)
        if uses?.contains(.locked) ?? true {
            if processID == getpid() { return .thisProcess }
            if let process { return .process(process) }
        }
        let heir = visibleProcesses().first { number in
            number != processID && file.uses(by: number)?.contains(.locked) == true
        }
        if let process = heir.flatMap({ HoldingProcess(processID: $0) }) { return .process(process) }
        return processID > 0 ? .child(of: processID, hasEnded: process == nil) : .unknown
    }
}

/// Returns the text of a file in `/proc`.
private func text(ofFile path: String) -> String? { contents(ofFile: path).map { String(decoding: $0, as: UTF8.self) } }

/// A line of `/proc/locks` about a held lock, such as `1: FLOCK  ADVISORY  WRITE 4711 08:02:131 0 EOF`.
private struct HeldFileLock {
    let processID: Int32
    let device: FileIdentity.Device
    let inode: UInt

    /// Returns nil for a line of another form, such as that of a waiting process.
    init?(_ line: Substring) {
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count >= 6, words[1] != "->", let processID = Int32(words[4]) else { return nil }
        let place = words[5].split(separator: ":")
        guard place.count == 3, let major = UInt32(place[0], radix: 16), let minor = UInt32(place[1], radix: 16),
            let inode = UInt(place[2])
        else { return nil }
        self.processID = processID
        device = FileIdentity.Device(major: major, minor: minor)
        self.inode = inode
    }
}

/// The device and inode of a file, which identify it.
private struct FileIdentity: Equatable {
    struct Device: Equatable {
        let major: UInt32
        let minor: UInt32
    }

    let device: Device
    let inode: UInt

    init(_ status: stat) {
        // The same as glibc's gnu_dev_major and gnu_dev_minor, which are C macros.
        let number = UInt64(status.st_dev)
        device = Device(
            major: UInt32(truncatingIfNeeded: (number >> 8 & 0xfff) | (number >> 32 & 0xffff_f000)),
            minor: UInt32(truncatingIfNeeded: (number & 0xff) | (number >> 12 & 0xffff_ff00))
        )
        inode = UInt(status.st_ino)
    }

    /// The way in which a process has the file open.
    enum Use {
        case open
        /// Open, with the lock. The processes that share an open file share its lock.
        case locked
    }

    /// Returns the ways in which a process has the file open; nil if this process has no permission to check, or the
    /// other one has ended.
    func uses(by processID: Int32) -> [Use]? {
        let files = names(inDirectory: "/proc/\(processID)/fd")
        if files.isEmpty { return nil }
        return files.filter { name in
            var status = stat()
            return unsafe stat("/proc/\(processID)/fd/\(name)", &status) == 0 && FileIdentity(status) == self
        }.map { name in
            text(ofFile: "/proc/\(processID)/fdinfo/\(name)")?.contains("\nlock:") == true ? .locked : .open
        }
    }
}
