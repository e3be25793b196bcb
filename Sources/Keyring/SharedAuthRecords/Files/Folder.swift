internal import FoundationEssentials
internal import Glibc

/// A directory of small files, named by its path.
///
/// A directory in the home of a sandboxed app is *confined*. The app can put anything there, so no symbolic link below
/// the home is followed, for directories or files. Each operation opens each directory relative to its parent, so that
/// nothing can be exchanged in between.
///
/// A directory in which only this user may write can be *demanded*. Then no link in place of a file is followed either.
package struct Folder: Sendable {
    /// The path of the directory.
    package let path: String
    /// The confinement; nil if links above the directory are followed.
    private let confinement: Confinement?
    /// Indicates whether only this user may write in the directory.
    private let isOwn: Bool

    /// Creates a directory in which links are followed.
    package init(_ path: String) {
        self.path = path
        confinement = nil
        isOwn = false
    }

    /// Creates a directory that belongs to this user and in which nobody else may write. Elsewhere, each operation gives
    /// `EPERM`.
    package init(ownPath path: String) {
        self.path = path
        confinement = nil
        isOwn = true
    }

    /// Creates a directory below the home of a sandboxed app. The user or the sandbox runtime may have replaced the
    /// home itself with a link; the app cannot.
    package init(inSandbox home: String, _ names: [String]) {
        path = ([home] + names).joined(separator: "/")
        confinement = Confinement(home: home, names: names)
        isOwn = false
    }

    /// Returns a directory in this one.
    package func folder(_ names: String...) -> Folder {
        guard let confinement else {
            let inner = ([path] + names).joined(separator: "/")
            return isOwn ? Folder(ownPath: inner) : Folder(inner)
        }
        return Folder(inSandbox: confinement.home, confinement.names + names)
    }

    /// The parent directory; nil for the root, and for the home of a sandboxed app.
    var above: Folder? {
        if let confinement {
            let names = Array(confinement.names.dropLast())
            return confinement.names.isEmpty ? nil : Folder(inSandbox: confinement.home, names)
        }
        let directory = SmallFile.directory(of: path)
        return directory == path ? nil : Folder(directory)
    }

    /// Returns the path of a file in this directory.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    /// Indicates whether links in place of files are followed.
    package var followsLinks: Bool { confinement == nil && !isOwn }
}

extension Folder {
    /// Calls `body` for a name in the directory, with the arguments for a system call such as `openat`.
    package func reach<Done>(
        _ name: String,
        _ body: (_ directory: Int32, _ name: String) throws(SystemError) -> Done
    ) throws(SystemError) -> Done {
        if confinement == nil, !isOwn { return try body(AT_FDCWD, path(of: name)) }
        let directory = if let confinement { try confinement.open() } else { try openOwn() }
        defer { close(directory) }
        return try body(directory, name)
    }

    /// - Throws: `EPERM` if another user owns the directory or may write in it.
    private func openOwn() throws(SystemError) -> Int32 {
        let directory = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .last }
        var status = stat()
        if unsafe fstat(directory, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 {
            return directory
        }
        close(directory)
        throw SystemError(number: EPERM)
    }

    /// Reads a file of the directory.
    ///
    /// - Throws: The error of the read. A link that is not followed is `unusable` if it replaces the file, and gives
    ///   `ELOOP` if it replaces a directory.
    package func read(_ name: String, atMost limit: Int) throws(RecordStoreError) -> SmallFile.Contents {
        let found: Result<SmallFile.Contents, RecordStoreError>
        do throws(SystemError) {
            found = try reach(name) { directory, name in
                Result { () throws(RecordStoreError) in
                    try SmallFile.read(
                        name,
                        in: directory,
                        path: path(of: name),
                        atMost: limit,
                        followingLinks: followsLinks,
                        demandsPrivacy: false
                    )
                }
            }
        } catch {
            if error.number == ENOENT { return .none }
            throw RecordStoreError(error, "Could not read", path(of: name))
        }
        return try found.get()
    }

    /// Replaces a file with these bytes atomically, and creates the directory if it does not exist.
    ///
    /// - Parameter durably: Whether to sync the bytes to disk first. The name is on disk after ``syncNames(_:)``.
    /// - Throws: The error of the step that failed; nothing has changed then.
    package func replace(
        _ name: String,
        with bytes: [UInt8],
        durably: Bool,
        _ steps: FileStepInterceptor = .none
    ) throws(SystemError) {
        do throws(SystemError) {
            try put(bytes, in: name, durably: durably, steps)
        } catch {
            guard error.number == ENOENT else { throw error }
            try make(steps)
            try put(bytes, in: name, durably: durably, steps)
        }
    }

    private func put(
        _ bytes: [UInt8],
        in name: String,
        durably: Bool,
        _ steps: FileStepInterceptor
    ) throws(SystemError) {
        try reach(name) { (directory, name) throws(SystemError) in
            let temporary = "\(name).\(getpid())-\(UInt32.random(in: .min ... .max))"
            do throws(SystemError) {
                try SmallFile.write(bytes, to: temporary, in: directory, durably: durably, steps)
                try steps.perform(.rename) { unsafe renameat(directory, temporary, directory, name) }
            } catch {
                unsafe unlinkat(directory, temporary, 0)
                throw error
            }
        }
    }

    /// Removes a file if it exists and can be removed.
    package func remove(_ name: String) {
        try? reach(name) { directory, name in _ = unsafe unlinkat(directory, name, 0) }
    }

    /// Returns whether a file of this name exists; follows a link only if links are followed.
    package func contains(_ name: String) -> Bool {
        let found = try? reach(name) { directory, name in
            var status = stat()
            return unsafe fstatat(directory, name, &status, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0
        }
        return found ?? false
    }

    /// Indicates whether the directory exists.
    package var isThere: Bool { contains(".") }

    /// The user whom the directory belongs to, if this process runs as root and that is another user. What root writes
    /// there, the owner could not read any more.
    package var ownerBesidesRoot: UInt32? {
        guard geteuid() == 0 else { return nil }
        let owner = try? reach(".") { directory, name -> UInt32? in
            var status = stat()
            return unsafe fstatat(directory, name, &status, 0) == 0 && status.st_uid != 0 ? status.st_uid : nil
        }
        return owner ?? nil
    }

    /// Returns the names in the directory, unordered; empty if it cannot be read.
    package func names() -> [String] {
        let found = try? reach(".") { directory, _ in
            // The kernel's link to the open directory.
            let path = directory == AT_FDCWD ? path : "/proc/self/fd/\(directory)"
            return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        }
        return found ?? []
    }

    /// Syncs the directory to disk, if its file system supports this.
    package func syncNames(_ steps: FileStepInterceptor) throws(SystemError) {
        try reach(".") { (directory, name) throws(SystemError) in
            let opened = unsafe openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard opened >= 0 else { throw .last }
            defer { close(opened) }
            try SmallFile.syncNames(of: opened, steps)
        }
    }

    /// Creates the directory and its missing parents with mode 700. When it returns, their names are on disk.
    package func make(_ steps: FileStepInterceptor = .none) throws(SystemError) {
        guard let confinement else { return try SmallFile.makeDirectory(path, steps) }
        close(try confinement.open(making: steps))
    }
}

/// The home of a sandboxed app and the directories below it, each in the one before.
private struct Confinement: Sendable {
    let home: String
    let names: [String]

    /// Opens the directory, for system calls that take a directory and a name in it.
    ///
    /// - Parameter steps: The steps that create missing directories; nil to create none.
    /// - Throws: `ELOOP` if a directory has been replaced by a link.
    func open(making steps: FileStepInterceptor? = nil) throws(SystemError) -> Int32 {
        var directory = unsafe Glibc.open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .last }
        for name in names {
            let above = directory
            defer { close(above) }
            if let steps { try Self.make(name, in: above, steps) }
            directory = try Self.open(name, in: above)
        }
        return directory
    }

    private static func make(
        _ name: String,
        in directory: Int32,
        _ steps: FileStepInterceptor
    ) throws(SystemError) {
        guard unsafe mkdirat(directory, name, 0o700) == 0 || errno == EEXIST else { throw .last }
        // A process that created it in the meantime may not have synced it yet.
        try SmallFile.syncNames(of: directory, steps)
    }

    private static func open(_ name: String, in directory: Int32) throws(SystemError) -> Int32 {
        let opened = unsafe openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if opened >= 0 { return opened }
        let error = SystemError.last
        var status = stat()
        let isLink =
            unsafe error.number == ENOTDIR && fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0
            && status.st_mode & S_IFMT == S_IFLNK
        throw isLink ? SystemError(number: ELOOP) : error
    }
}
