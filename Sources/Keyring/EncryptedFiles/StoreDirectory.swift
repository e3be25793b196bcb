internal import FoundationEssentials
internal import Glibc
internal import SharedAuthRecords

/// An open store directory that was found safe: it belongs to this user and has no permissions for others.
struct StoreDirectory: ~Copyable {
    /// Identifies one state of a file without reading it.
    struct Identity: Equatable {
        let inode: ino_t
        let size: off_t
        let seconds: Int
        let nanoseconds: Int
    }

    let path: String
    let descriptor: Int32
    let steps: FileStepInterceptor

    deinit { close(descriptor) }

    /// Opens the directory.
    ///
    /// - Returns: The directory; nil if it does not exist.
    /// - Throws: `denied` if it belongs to another user, or other users have permissions.
    static func open(_ path: String, steps: FileStepInterceptor) throws(RecordStoreError) -> StoreDirectory? {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw RecordStoreError(.last, "Could not open the store", path)
        }
        let directory = StoreDirectory(path: path, descriptor: descriptor, steps: steps)
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw RecordStoreError(.last, "Could not open the store", path)
        }
        guard status.st_uid == geteuid() else { throw .foreign(path, owner: status.st_uid) }
        guard status.st_mode & 0o077 == 0 else { throw .tooOpen(path, mode: status.st_mode, needed: "700") }
        return directory
    }

    /// Reads a file of the store.
    func read(_ name: String) throws(RecordStoreError) -> SmallFile.Contents {
        try SmallFile.read(
            name,
            in: descriptor,
            path: "\(path)/\(name)",
            atMost: Self.longest,
            followingLinks: false,
            demandsPrivacy: true
        )
    }

    /// Returns the identity of the file with this name; nil if the file does not exist.
    func identity(of name: String) throws(RecordStoreError) -> Identity? {
        var status = stat()
        if unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
            let changed = status.st_ctim
            return Identity(
                inode: status.st_ino,
                size: status.st_size,
                seconds: changed.tv_sec,
                nanoseconds: changed.tv_nsec
            )
        }
        if errno == ENOENT { return nil }
        throw RecordStoreError(.last, "Could not examine", "\(path)/\(name)")
    }

    /// Returns the time of a file's last write in seconds since 1970; nil if the file does not exist.
    func modified(_ name: String) -> Int? {
        var status = stat()
        return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_mtim.tv_sec : nil
    }

    /// Returns the names in the directory.
    func names() throws(RecordStoreError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw RecordStoreError(.failed, "The store \(path) cannot be listed.", underlying: error)
        }
    }

    /// The maximum size of a file that is read or written; a record takes a few kilobytes.
    static let longest = 16 << 20
}

extension StoreDirectory {
    /// Returns the name under which a file is written before the rename. One name is enough, because the writer holds
    /// the file's lock.
    private static func temporary(_ name: String) -> String { name + temporarySuffix }

    private static let temporarySuffix = ".new"

    /// Returns the names of the files that a process is writing now, or was writing when it died.
    func leftovers() throws(RecordStoreError) -> [String] {
        try names().filter { $0.hasSuffix(Self.temporarySuffix) }.map {
            String($0.dropLast(Self.temporarySuffix.count))
        }
    }

    /// Removes the temporary file of a process that died during a write. The caller holds the file's lock.
    func sweep(_ name: String) throws(RecordStoreError) {
        let leftover = Self.temporary(name)
        if try identity(of: leftover) != nil { try remove(leftover) }
    }

    /// Replaces a file with these bytes atomically. When it returns, they are on disk.
    ///
    /// - Parameter aside: Another name for the present file, which is then kept.
    /// - Throws: An error with a known outcome if a step up to the rename fails, and with an unknown outcome after it.
    func replace(_ name: String, with bytes: [UInt8], keeping aside: String? = nil) throws(RecordStoreError) {
        let temporary = Self.temporary(name)
        do throws(SystemError) {
            try SmallFile.write(bytes, to: temporary, in: descriptor, durably: true, steps)
            if let aside { try keep(name, as: aside) }
            do throws(SystemError) {
                try steps.perform(.rename) { unsafe renameat(descriptor, temporary, descriptor, name) }
            } catch {
                if let aside { putBack(aside, to: name) }
                throw error
            }
        } catch {
            // Not an interceptable step: if it fails, the next write removes the file.
            _ = unsafe unlinkat(descriptor, temporary, 0)
            throw RecordStoreError(error, "Could not write", "\(path)/\(name)")
        }
        try syncNames(after: name)
    }

    /// Removes a file. When it returns, the removal is on disk.
    func remove(_ name: String) throws(RecordStoreError) {
        do throws(SystemError) {
            try steps.perform(.unlink) { unsafe unlinkat(descriptor, name, 0) }
        } catch {
            if error.number == ENOENT { return }
            throw RecordStoreError(error, "Could not remove", "\(path)/\(name)")
        }
        try syncNames(after: name)
    }

    /// Renames a file, or any other item of this name.
    func move(_ name: String, to aside: String) throws(RecordStoreError) {
        do throws(SystemError) {
            try steps.perform(.rename) { unsafe renameat(descriptor, name, descriptor, aside) }
        } catch {
            if error.number == ENOENT { return }
            throw RecordStoreError(error, "Could not set aside", "\(path)/\(name)")
        }
        try syncNames(after: name)
    }

    /// Adds a second name to a file, so that the first name always exists.
    private func keep(_ name: String, as aside: String) throws(SystemError) {
        do throws(SystemError) {
            try steps.perform(.link) { unsafe linkat(descriptor, name, descriptor, aside, 0) }
        } catch {
            switch error.number {
            case ENOENT:
                return
            case EPERM, ENOTSUP, ENOSYS, EMLINK:
                // Directories cannot have two names, nor can files on some file systems. Until the new file is renamed,
                // another process finds nothing under the first name.
                try steps.perform(.rename) { unsafe renameat(descriptor, name, descriptor, aside) }
            default:
                throw error
            }
        }
    }

    /// Undoes `keep`.
    private func putBack(_ aside: String, to name: String) {
        var status = stat()
        if unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
            unsafe unlinkat(descriptor, aside, 0)
        } else {
            unsafe renameat(descriptor, aside, descriptor, name)
        }
    }

    /// Checks that the file system has room for a file of this size. Leaves nothing behind, even if the process dies.
    func checkRoom(for size: Int) throws(RecordStoreError) {
        do throws(SystemError) {
            let file = try openUnnamed()
            defer { close(file) }
            let number = posix_fallocate(file, 0, off_t(size))
            if number != 0 { throw SystemError(number: number) }
        } catch {
            throw RecordStoreError(error, "Could not write in", path)
        }
    }

    /// Opens an empty file that has no name, or no longer has one.
    private func openUnnamed() throws(SystemError) -> Int32 {
        let unnamed = unsafe openat(descriptor, ".", Self.unnamed | O_RDWR | O_CLOEXEC, 0o600)
        if unnamed >= 0 { return unnamed }
        guard [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(errno) else { throw .last }
        let name = "probe-\(getpid())-\(UInt32.random(in: .min ... .max))"
        let file = unsafe openat(descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .last }
        _ = unsafe unlinkat(descriptor, name, 0)
        return file
    }

    /// `O_TMPFILE`, which is not imported.
    private static let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY

    private func syncNames(after name: String) throws(RecordStoreError) {
        do throws(SystemError) {
            try SmallFile.syncNames(of: descriptor, steps)
        } catch {
            throw RecordStoreError(
                error,
                "It is not known whether the change is on disk:",
                "\(path)/\(name)",
                outcomeIsUnknown: true
            )
        }
    }
}
