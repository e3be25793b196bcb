package import FoundationEssentials
internal import Glibc

/// Identifies one state of a file without reading it. A replaced or modified file has a different stamp, once this
/// stamp is settled.
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

    /// Returns whether no later state of the file can have this stamp, if it was taken at this moment or later.
    ///
    /// Two files that exist at the same time have different inodes, so the file that replaces this one has another
    /// inode. The file after that may reuse this inode, as on ext4; only the time of its change distinguishes it. The
    /// kernel's clock for files has ticks of at most 10 ms, or of a second on file systems without fractions, so the
    /// time must have advanced by more than that.
    package func isSettled(at moment: Date) -> Bool {
        let tick = changed.nanoseconds == 0 ? 2.1 : 0.02
        let age = moment.timeIntervalSince1970 - Double(changed.seconds) - Double(changed.nanoseconds) / 1e9
        return age > tick
    }
}

extension Folder {
    /// Returns the stamp of a file, or of the target of a link if links are followed; nil if there is no file.
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
