internal import FoundationEssentials
internal import Glibc

/// The directory with the choices of group, and everything below it, wherever links lead.
struct StateDirectory {
    /// The places that a call of `chmod` has to name: the directory itself, and what links in it lead to.
    private(set) var roots: [String] = []
    /// How many files and directories others may read or write.
    private(set) var openCount = 0
    /// How many of these others may write.
    private(set) var writableCount = 0
    /// The directories above it in which anybody may put something else in its place.
    private(set) var writableAncestors: [String] = []

    private struct FileID: Hashable {
        let device: dev_t
        let inode: ino_t
    }
    private var seen: Set<FileID> = []

    /// Looks at all of it; gives nothing if it cannot be resolved.
    init?(_ path: String) {
        guard let root = Self.resolved(path) else { return nil }
        visit(root, isRoot: true)
    }

    private mutating func visit(_ path: String, isRoot: Bool = false) {
        var status = stat()
        guard unsafe stat(path, &status) == 0,
            seen.insert(FileID(device: status.st_dev, inode: status.st_ino)).inserted
        else { return }
        if isRoot {
            roots.append(path)
            noteAncestors(of: path)
        }
        if status.st_mode & (S_IRWXG | S_IRWXO) != 0 { openCount += 1 }
        if status.st_mode & (S_IWGRP | S_IWOTH) != 0 { writableCount += 1 }
        guard status.st_mode & S_IFMT == S_IFDIR else { return }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] {
            guard let target = Self.resolved("\(path)/\(name)") else { continue }
            visit(target, isRoot: target != "\(path)/\(name)")
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
