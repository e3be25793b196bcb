internal import DesktopSupport
internal import Glibc

/// The error of a system call.
package struct SystemError: Error, CustomStringConvertible {
    package let number: Int32

    package init(number: Int32) { self.number = number }

    package static var last: SystemError { SystemError(number: errno) }
    package var description: String { unsafe String(cString: strerror(number)) }
    /// Indicates whether there was no space left.
    package var saysFull: Bool { number == ENOSPC || number == EDQUOT }
    /// Indicates whether a file could not be locked because its file system has no locks, or currently has none.
    var saysNoLocks: Bool { [ENOLCK, EOPNOTSUPP, ENOSYS].contains(number) }
}

extension RecordStoreError {
    /// Creates the error for a failed system call; `attempt` reads like "Could not write".
    package init(_ error: SystemError, _ attempt: String, _ path: String, outcomeIsUnknown: Bool = false) {
        let code: Code
        let remedy: String
        switch error.number {
        case ENOSPC, EDQUOT, EFBIG:
            (code, remedy) = (.full, "Free some space and try again; the stored data is unchanged.")
        case EROFS:
            (code, remedy) = (.denied, "Mount the file system writable, or choose another directory for the store.")
        case EACCES, EPERM:
            (code, remedy) = (.denied, "The store must belong to this user: directories with mode 700, files with 600.")
        case ENOENT, ENOTDIR, ESTALE:
            (code, remedy) = (.unavailable, "Put the directory back, or choose another one for the store.")
        default:
            (code, remedy) = (.failed, "Check the disk, and try again.")
        }
        self.init(
            code,
            "\(attempt) \(path): \(error).",
            remedy: remedy,
            outcomeIsUnknown: outcomeIsUnknown,
            underlying: error
        )
    }

    /// Returns the error for a file or directory that other users can read or change; the remedy is the command to run.
    package static func tooOpen(_ path: String, mode: UInt32, needed: String) -> RecordStoreError {
        RecordStoreError(
            .denied,
            "\(path) is open to other users (mode \(String(mode & 0o7777, radix: 8))).",
            remedy: "Run: chmod \(needed) \(path.quotedForShell)"
        )
    }

    /// Returns the error for a file or directory that belongs to another user.
    package static func foreign(_ path: String, owner: UInt32) -> RecordStoreError {
        RecordStoreError(
            .denied,
            "\(path) belongs to user \(owner), and this process runs as user \(geteuid()).",
            remedy: "Run the app as its owner, or choose another directory for the store."
        )
    }
}
