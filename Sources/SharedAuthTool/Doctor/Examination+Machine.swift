internal import CommandLineSupport
internal import DesktopSupport
internal import FoundationEssentials
internal import Glibc
internal import SharedAuth

extension Examination {
    /// Whether the clock can be right: tokens expire by it.
    mutating func checkClock() {
        var status = stat()
        // What is on the disk was written in the past.
        guard unsafe stat("/proc/self/exe", &status) == 0, time(nil) < status.st_mtim.tv_sec else {
            return note(.good("clock", "The clock is later than the build date of this program."))
        }
        note(
            .bad(
                "clock",
                "The clock is behind the time this program was made, so expired tokens are taken for valid.",
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
                    remedy: "Run chmod o-w \(ancestor.quotedForShell)"
                )
            )
        } else if directory.linkCount > 0 {
            // Not named: who put them there chose their names.
            note(
                .warning(
                    "files",
                    "There are links in \(directory.path), which SharedAuth does not make.",
                    remedy: "Run find \(directory.path.quotedForShell) -type l -delete"
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
                    remedy: "Run chmod -R go-rwx \(directory.path.quotedForShell)"
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
            remedy: "Make it one, or set XDG_STATE_HOME.",
            status: .software
        )
    }
}

/// The directory with the choices of group, and everything below it. Others may have put links there: none is followed.
struct StateDirectory {
    /// The directory, without links.
    let path: String
    /// How many links are in it.
    private(set) var linkCount = 0
    /// How many files and directories others may read or write.
    private(set) var openCount = 0
    /// How many of these others may write.
    private(set) var writableCount = 0
    /// The directories above it in which anybody may put something else in its place.
    private(set) var writableAncestors: [String] = []

    /// Looks at all of it; gives nothing if it cannot be resolved.
    init?(_ path: String) {
        guard let root = Self.resolved(path) else { return nil }
        self.path = root
        noteAncestors(of: root)
        visit(root)
    }

    private mutating func visit(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT != S_IFLNK else {
            linkCount += 1
            return
        }
        if status.st_mode & (S_IRWXG | S_IRWXO) != 0 { openCount += 1 }
        if status.st_mode & (S_IWGRP | S_IWOTH) != 0 { writableCount += 1 }
        guard status.st_mode & S_IFMT == S_IFDIR else { return }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            visit("\(path)/\(name)")
        }
    }

    /// In a directory that everybody may write, and that is not sticky, everybody may rename what is there.
    private mutating func noteAncestors(of path: String) {
        var rest = path[...]
        while let slash = rest.lastIndex(of: "/"), rest.count > 1 {
            rest = slash == rest.startIndex ? "/" : rest[..<slash]
            let ancestor = String(rest)
            var status = stat()
            guard unsafe stat(ancestor, &status) == 0 else { continue }
            let isOpen = status.st_mode & S_IWOTH != 0 && status.st_mode & S_ISVTX == 0
            if isOpen, !writableAncestors.contains(ancestor) { writableAncestors.append(ancestor) }
        }
    }

    /// The path without links; nil if it leads nowhere.
    private static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
