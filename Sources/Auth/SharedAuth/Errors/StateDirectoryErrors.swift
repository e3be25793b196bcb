internal import Glibc
internal import SharedAuthRecords

// The errors of the files in a state directory.

extension AuthError {
    static func unwritableJournal(_ path: String, _ error: any Error) -> AuthError {
        if error.isOfLink { return linkOnTheWay(to: path, error) }
        if (error as? RecordStoreError)?.lacksFileLocks ?? false {
            return AuthError(
                .fileLocksUnavailable,
                "The app's access-group choice cannot be stored at \(path), whose file system has no locks.",
                remedy:
                    "Start the lock service of the network's file system, or set Options.stateDirectory to a directory "
                    + "on a local disk.",
                underlying: error
            )
        }
        if error.systemError?.saysFull ?? false {
            return AuthError(
                .storeFull,
                "There is no room for the app's access-group choice at \(path).",
                remedy: "Free some space and try again; the stored data is unchanged.",
                underlying: error
            )
        }
        return AuthError(
            .stateDirectoryUnusable,
            "The app's access-group choice cannot be stored at \(path): \(error)."
                + (path.hasPrefix("\(Journal.defaultDirectory)/")
                    ? BaseDirectory.absence(without: "XDG_STATE_HOME").map { " \($0)" } ?? "" : ""),
            remedy: "Make the directory writable, or set Options.stateDirectory.",
            underlying: error
        )
    }

    static func journal(_ path: String, of owner: UInt32) -> AuthError {
        AuthError(
            .stateDirectoryUnusable,
            "The directory of \(path) belongs to user \(owner), and this process runs as root; nothing was changed.",
            remedy: "Run the app as that user, or set Options.stateDirectory; sudo -H sets the home of root.",
            underlying: SystemError(number: EPERM)
        )
    }

    static func silentFileSystem(of directory: String) -> AuthError {
        AuthError(
            .timedOut,
            "The file system of \(directory) did not respond in time; nothing was changed.",
            remedy:
                "Check the network, and try again; or set Options.stateDirectory to a directory on this machine."
        )
    }

    static func silentFileSystem(whileWriting path: String) -> AuthError {
        AuthError(
            .outcomeUnknown,
            "The file system of \(path) did not respond while the app's access-group choice was being stored.",
            remedy: "Check the network, then read again to find out whether the change was made."
        )
    }

    static func linkOnTheWay(to path: String, _ error: any Error) -> AuthError {
        AuthError(
            .stateDirectoryUnusable,
            "The app's access-group choice at \(path) cannot be used: its lock file, or a directory "
                + "above it, is a symbolic link. It is in the home of a sandboxed app, which may have put it there.",
            remedy: "Remove the link.",
            underlying: error
        )
    }
}

extension Error {
    /// Indicates whether a symbolic link was not followed.
    var isOfLink: Bool { systemError?.number == ELOOP }

    /// The system call that failed, if that is the cause of the error.
    fileprivate var systemError: SystemError? {
        let cause = (self as? RecordStoreError)?.underlying ?? self
        return cause as? SystemError
    }
}
