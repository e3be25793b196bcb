internal import Glibc

/// Reads and writes whole small files, and never waits for another process.
package enum SmallFile {
    /// The contents found under a name.
    package enum Contents: Sendable {
        /// No file.
        case none
        /// The bytes of a file.
        case bytes([UInt8])
        /// Something other than a usable file, with the reason.
        case unusable(String)
    }

    /// Reads a file in an open directory or at a path.
    ///
    /// - Parameter path: The path for error messages.
    /// - Throws: `denied` if privacy is required and the file has permissions for others, or belongs to a user other
    ///   than this one or root; or the error of the system call that failed.
    package static func read(
        _ name: String,
        in directory: Int32 = AT_FDCWD,
        path: String,
        atMost limit: Int,
        followingLinks: Bool,
        demandsPrivacy: Bool
    ) throws(RecordStoreError) -> Contents {
        // A pipe at this path must not block the caller.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (followingLinks ? 0 : O_NOFOLLOW)
        let file = unsafe openat(directory, name, flags)
        guard file >= 0 else {
            switch errno {
            case ENOENT: return .none
            case ELOOP: return .unusable("a symbolic link is in its place")
            case ENXIO: return .unusable("something other than a file is in its place")
            default: throw RecordStoreError(.last, "Could not read", path)
            }
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw RecordStoreError(.last, "Could not read", path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: return .unusable("a directory is in its place")
        default: return .unusable("something other than a file is in its place")
        }
        if demandsPrivacy {
            guard status.st_mode & 0o077 == 0 else {
                throw .tooOpen(path, mode: status.st_mode, needed: "600")
            }
            guard [geteuid(), 0].contains(status.st_uid) else { throw .foreign(path, owner: status.st_uid) }
        }
        guard status.st_size <= limit else { return .unusable("it is too long") }
        return .bytes(try bytes(of: file, count: Int(status.st_size), path))
    }

    private static func bytes(of file: Int32, count: Int, _ path: String) throws(RecordStoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let added = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(file, buffer.baseAddress?.advanced(by: filled), count - filled)
            }
            if added < 0 && errno == EINTR { continue }
            guard added >= 0 else { throw RecordStoreError(.last, "Could not read", path) }
            if added == 0 { break }
            filled += added
        }
        bytes.removeSubrange(filled...)
        return bytes
    }
}

extension SmallFile {
    /// Replaces a file with these bytes atomically, and creates its missing parent directories.
    ///
    /// - Parameter durably: Whether to sync the bytes to disk first. The name is on disk after ``syncNames(in:_:)``.
    /// - Throws: The error of the step that failed; nothing has changed then.
    package static func replace(
        _ path: String,
        with bytes: [UInt8],
        durably: Bool,
        _ steps: FileStepInterceptor = .none
    ) throws(SystemError) {
        let directory = directory(of: path)
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        try Folder(directory).replace(name, with: bytes, durably: durably, steps)
    }

    /// Writes a new file with mode 600 in an open directory or at a path.
    package static func write(
        _ bytes: [UInt8],
        to name: String,
        in directory: Int32 = AT_FDCWD,
        durably: Bool,
        _ steps: FileStepInterceptor
    ) throws(SystemError) {
        let file = try steps.perform(.create) {
            unsafe openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        defer { close(file) }
        try put(bytes, at: 0, in: file, steps)
        if durably { try steps.perform(.sync) { fsync(file) } }
    }

    /// Writes all bytes to an open file at an offset.
    package static func put(
        _ bytes: [UInt8],
        at offset: Int,
        in file: Int32,
        _ steps: FileStepInterceptor = .none
    ) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = try steps.perform(.write) {
                unsafe bytes.withUnsafeBytes { buffer in
                    let (rest, size) = unsafe (buffer.baseAddress?.advanced(by: written), buffer.count - written)
                    return Int32(clamping: unsafe pwrite(file, rest, size, offset + written))
                }
            }
            written += Int(count)
        }
    }

    /// Syncs a directory to disk, if its file system supports this.
    package static func syncNames(in directory: String, _ steps: FileStepInterceptor) throws(SystemError) {
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        try syncNames(of: descriptor, steps)
    }

    /// Syncs an open directory to disk.
    ///
    /// A file system without this operation, such as 9p and some FUSE file systems, returns `EINVAL`. That is not an
    /// error: the bytes were synced separately, and the file system is responsible for the names.
    package static func syncNames(of directory: Int32, _ steps: FileStepInterceptor) throws(SystemError) {
        do throws(SystemError) {
            try steps.perform(.syncDirectory) { fsync(directory) }
        } catch {
            guard error.number == EINVAL else { throw error }
        }
    }

    /// Returns the parent directory of a path.
    package static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates a directory and its missing parents with mode 700. When it returns, their names are on disk.
    package static func makeDirectory(
        _ path: String,
        _ steps: FileStepInterceptor = .none
    ) throws(SystemError) {
        var failure = make(path)
        if failure?.number == ENOENT {
            try makeDirectory(directory(of: path), steps)
            failure = make(path)
        }
        // A process that created it in the meantime may not have synced its parent yet.
        if let failure, failure.number != EEXIST { throw failure }
        try syncNames(in: directory(of: path), steps)
    }

    /// Creates one directory. Returns the error, or nil.
    private static func make(_ path: String) -> SystemError? {
        unsafe mkdir(path, 0o700) == 0 ? nil : .last
    }
}
