internal import Glibc

/// The directory of a local server's socket, which only the server may make: a client of a socket that another user
/// made would show that user a password, and what it stores.
enum SocketDirectory {
    /// Checks that no other user can have put a socket into a directory.
    ///
    /// - Throws: `invalidAddress` if others may write in it, or may replace it.
    static func check(_ path: String) throws(FleetError) {
        // Without the directory, there is no server.
        guard let resolved = unsafe realpath(path, nil) else { return }
        defer { unsafe free(resolved) }
        var place = unsafe String(cString: resolved)
        guard isPrivate(place) else { throw refusal }
        while let slash = place.lastIndex(of: "/"), place != "/" {
            place = slash == place.startIndex ? "/" : String(place[..<slash])
            // In a sticky directory, a file belongs to the one who made it.
            guard isPrivate(place, orSticky: true) else { throw refusal }
        }
    }

    private static func isPrivate(_ path: String, orSticky: Bool = false) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return true }
        return status.st_mode & S_IWOTH == 0 || (orSticky && status.st_mode & S_ISVTX != 0)
    }

    private static var refusal: FleetError {
        FleetError(
            .invalidAddress,
            "Every user of this machine can make a socket in the server's directory, and act as the server.",
            remedy:
                "Ask the administrator to move the socket to a directory in which others may not write, such as "
                + "/var/run/postgresql."
        )
    }
}
