internal import Glibc

/// Reads and writes small files whole, and never waits for another process.
package enum SmallFile {
    /// What is under a name.
    package enum Contents: Sendable {
        /// Nothing.
        case none
        /// A file.
        case bytes([UInt8])
        /// Something that cannot be the file; the text says what.
        case unusable(String)
    }

    /// Reads a file below an open directory, or at a path.
    ///
    /// - Throws: `denied` when privacy is demanded and the file is open to others or belongs to someone else.
    package static func read(
        _ name: String,
        in directory: Int32 = AT_FDCWD,
        path: String,
        atMost limit: Int,
        followingLinks: Bool,
        demandsPrivacy: Bool
    ) throws(RecordStoreError) -> Contents {
        // A pipe in the file's place must not hold the caller up.
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
    /// Puts these bytes in the place of a file in one step, and makes the directories above it that are missing.
    ///
    /// - Parameter durably: whether the bytes are on the disk before that. Its name is once ``syncNames(in:_:)`` has seen
    ///   to it.
    /// - Throws: why not; nothing has changed then.
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

    /// Writes a file that is not there yet, closed to others, below an open directory or at a path.
    static func write(
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

    /// Writes all of the bytes to an open file, at an offset.
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

    /// Brings the names in a directory to the disk, as far as its file system knows such a thing.
    package static func syncNames(in directory: String, _ steps: FileStepInterceptor) throws(SystemError) {
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        try syncNames(of: descriptor, steps)
    }

    /// Brings the names in an open directory to the disk.
    ///
    /// A file system that knows no such thing, as 9p and some of FUSE, refuses with `EINVAL`. That is no failure: the bytes were
    /// synced by themselves, and what becomes of names is that file system's own affair.
    static func syncNames(of directory: Int32, _ steps: FileStepInterceptor) throws(SystemError) {
        do throws(SystemError) {
            try steps.perform(.syncDirectory) { fsync(directory) }
        } catch {
            guard error.number == EINVAL else { throw error }
        }
    }

    /// The directory that a path is in.
    package static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a directory, and those above it that are missing, closed to others; when it returns, their names are on the
    /// disk.
    package static func makeDirectory(
        _ path: String,
        _ steps: FileStepInterceptor = .none
    ) throws(SystemError) {
        var failure = make(path)
        if failure?.number == ENOENT {
            try makeDirectory(directory(of: path), steps)
            failure = make(path)
        }
        // Who made it meanwhile may not have come to the next step yet.
        if let failure, failure.number != EEXIST { throw failure }
        try syncNames(in: directory(of: path), steps)
    }

    /// Makes one directory; the result says why it could not.
    private static func make(_ path: String) -> SystemError? {
        unsafe mkdir(path, 0o700) == 0 ? nil : .last
    }
}
