internal import CommandLineSupport
internal import Glibc
internal import SharedAuth

extension Examination {
    /// Whether the clock can be right: tokens expire by it.
    mutating func checkClock() {
        var status = stat()
        // What is on the disk was written in the past.
        guard unsafe stat("/proc/self/exe", &status) == 0, time(nil) < status.st_mtim.tv_sec else {
            return note(.good("clock", "The clock is past the day this program was made."))
        }
        note(
            .bad(
                "clock",
                "The clock is behind the time this program was made, so tokens that have expired pass for good.",
                remedy: "Set the clock, e.g. with timedatectl set-ntp true.",
                status: .software
            )
        )
    }

    /// Whether the directory that keeps choices of group can be used, and by its owner alone.
    mutating func checkStateDirectory() {
        let path = options.stateDirectory ?? AuthApp.defaultStateDirectory
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT { return note(.good("files", "\(path) is not there yet; the first choice makes it.")) }
            return note(unusable(path))
        }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            unsafe access(path, R_OK | W_OK | X_OK) == 0
        else { return note(unusable(path)) }
        guard let directory = StateDirectory(path) else { return note(unusable(path)) }
        if let ancestor = directory.writableAncestors.first {
            note(
                .warning(
                    "files",
                    "Every user of this machine can rename what is in \(ancestor), and put something else in the place of "
                        + "\(path).",
                    remedy: "Run chmod o-w \(ancestor)"
                )
            )
        } else if directory.openCount > 0 {
            let what =
                directory.writableCount > 0 ? "choose the access groups in use" : "read which access groups are in use"
            note(
                .warning(
                    "files",
                    "\(directory.openCount) of the files and directories from \(path) on are open to other users, who can "
                        + "\(what).",
                    remedy: "Run chmod -R go-rwx \(directory.roots.joined(separator: " "))"
                )
            )
        } else {
            note(.good("files", "\(path) is its owner's alone."))
        }
    }

    private func unusable(_ path: String) -> Finding {
        .bad(
            "files",
            "\(path) is not a directory that this user owns and may read and write.",
            remedy: "Make it one, or set Options.stateDirectory.",
            status: .software
        )
    }
}
