internal import FoundationEssentials
internal import Glibc
internal import SharedAuth
internal import ToolConventions

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
        let open = ([path] + contents(of: path)).filter(isOpenToOthers)
        if open.isEmpty { return note(.good("files", "\(path) is its owner's alone.")) }
        note(
            .warning(
                "files",
                "\(open.count) of the files and directories from \(path) on are open to other users, who can read which "
                    + "access groups are in use.",
                remedy: "Run chmod -R go-rwx \(path)"
            )
        )
    }

    private func unusable(_ path: String) -> Finding {
        .bad(
            "files",
            "\(path) is not a directory that this user owns and may read and write.",
            remedy: "Make it one, or set Options.stateDirectory.",
            status: .software
        )
    }

    private func contents(of directory: String) -> [String] {
        var found: [String] = []
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            let path = "\(directory)/\(name)"
            found.append(path)
            if mode(of: path) & S_IFMT == S_IFDIR { found += contents(of: path) }
        }
        return found
    }

    private func isOpenToOthers(_ path: String) -> Bool {
        mode(of: path) & (S_IRWXG | S_IRWXO) != 0
    }

    /// The mode of a file, not of what a link points to; 0 if it is gone.
    private func mode(of path: String) -> mode_t {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return 0 }
        return status.st_mode
    }
}
