internal import Glibc

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
        let temporary = "\(path).\(getpid())-\(UInt32.random(in: .min ... .max))"
        do throws(SystemError) {
            do throws(SystemError) {
                try write(bytes, to: temporary, durably: durably, steps)
            } catch {
                guard error.number == ENOENT else { throw error }
                try makeDirectory(directory(of: path), steps)
                try write(bytes, to: temporary, durably: durably, steps)
            }
            try steps.perform(.rename) { unsafe rename(temporary, path) }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
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
        var written = 0
        while written < bytes.count {
            let count = try steps.perform(.write) {
                unsafe bytes.withUnsafeBytes { buffer in
                    Int32(
                        clamping: unsafe Glibc.write(
                            file,
                            buffer.baseAddress?.advanced(by: written),
                            buffer.count - written
                        )
                    )
                }
            }
            written += Int(count)
        }
        if durably { try steps.perform(.sync) { fsync(file) } }
    }

    /// Brings the names in a directory to the disk, as far as its file system knows such a thing.
    package static func syncNames(in directory: String, _ steps: FileStepInterceptor) throws(SystemError) {
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        try steps.perform(.syncDirectory) { fsync(descriptor) == 0 || errno == EINVAL ? 0 : -1 }
    }

    /// The directory that a path is in.
    package static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a directory, and those above it that are missing, closed to others; when it returns, their names are on the
    /// disk.
    package static func makeDirectory(_ path: String, _ steps: FileStepInterceptor) throws(SystemError) {
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
