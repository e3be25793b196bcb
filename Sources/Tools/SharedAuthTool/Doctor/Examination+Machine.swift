internal import CommandLineSupport
internal import DesktopSupport
internal import FoundationEssentials
internal import Glibc
internal import SharedAuth

extension Examination {
    /// Checks that the clock is plausible: tokens expire by it.
    mutating func checkClock() {
        var status = stat()
        // Files on disk were written in the past.
        guard unsafe stat("/proc/self/exe", &status) == 0, time(nil) < status.st_mtim.tv_sec else {
            return note(.good("clock", "The clock is later than the build date of this program."))
        }
        note(
            .bad(
                "clock",
                "The clock is behind the time this program was made, so expired tokens are treated as valid.",
                remedy: "Set the clock, e.g. with timedatectl set-ntp true.",
                status: .software
            )
        )
    }

    /// Checks that the directory with the group choices is usable, and only by its owner.
    mutating func checkStateDirectory() {
        let path = options.stateDirectory ?? AuthApp.defaultStateDirectory
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT {
                return note(.good("files", "\(path) does not exist yet; the first choice creates it."))
            }
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
                    "Every user of this machine can rename the entries of \(ancestor), and so replace "
                        + "\(path).",
                    remedy: "Run chmod o-w \(ancestor.quotedForShell)"
                )
            )
        } else if directory.linkCount > 0 {
            // The links are not named: another user may have chosen their names.
            note(
                .warning(
                    "files",
                    "There are links in \(directory.path), which SharedAuth does not create.",
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
            note(.good("files", "\(path) is accessible only to its owner."))
        }
    }

    private func unusable(_ path: String) -> Finding {
        .bad(
            "files",
            "\(path) is not a directory that this user owns and may read and write.",
            remedy: "Correct its owner and mode, or set XDG_STATE_HOME.",
            status: .software
        )
    }
}

/// The directory with the group choices, and everything below it. Other users may have put links there: none is
/// followed.
struct StateDirectory {
    /// The directory, without links.
    let path: String
    /// The number of links in it.
    private(set) var linkCount = 0
    /// The number of files and directories that other users may read or write.
    private(set) var openCount = 0
    /// The number of these that other users may write.
    private(set) var writableCount = 0
    /// The directories above it in which any user may replace the next one.
    private(set) var writableAncestors: [String] = []

    /// Examines the whole directory. Returns nil if the path cannot be resolved.
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

    /// Finds the directories above the path that are writable for every user and not sticky: there, every user can
    /// rename entries.
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

    /// Resolves the links in a path. Returns nil if it does not exist.
    private static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
