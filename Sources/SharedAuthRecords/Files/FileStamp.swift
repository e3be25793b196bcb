package import FoundationEssentials
internal import Glibc

/// Names one state of a file, without reading it: another file in its place, or other bytes in it, have another stamp, once this one
/// is settled.
package struct FileStamp: Sendable, Hashable {
    private struct Moment: Hashable {
        let seconds: Int
        let nanoseconds: Int

        init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }
    }

    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let modified: Moment
    private let changed: Moment

    init(_ status: stat) {
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        size = Int(status.st_size)
        modified = Moment(status.st_mtim)
        changed = Moment(status.st_ctim)
    }

    /// Whether the stamp, taken at this moment or later, will not come again.
    ///
    /// Two files that exist at once have different inodes, so the file that replaces this one has another. The one after that may get
    /// this inode again, as ext4 does; only the time of its change tells it apart. The kernel's clock for files goes in ticks of at most
    /// 10 ms, and in whole seconds where a file system keeps no fractions, so the time has to have moved on by more than that.
    package func isSettled(at moment: Date) -> Bool {
        let tick = changed.nanoseconds == 0 ? 2.1 : 0.02
        let age = moment.timeIntervalSince1970 - Double(changed.seconds) - Double(changed.nanoseconds) / 1e9
        return age > tick
    }
}

extension Folder {
    /// The stamp of a file, or of what a link points to, where links are followed; nil if there is nothing.
    package func stamp(of name: String) throws(SystemError) -> FileStamp? {
        do throws(SystemError) {
            return try reach(name) { (directory, name) throws(SystemError) in
                var status = stat()
                let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
                guard unsafe fstatat(directory, name, &status, flags) == 0 else { throw .last }
                return FileStamp(status)
            }
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
    }
}
