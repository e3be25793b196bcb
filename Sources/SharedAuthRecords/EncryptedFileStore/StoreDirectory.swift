internal import FoundationEssentials
internal import Glibc

/// The directory of a store, opened and found safe: this user's own, and closed to others.
struct StoreDirectory: ~Copyable {
    /// Tells one state of a file from another without reading it.
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
    /// - Returns: nil if there is none.
    /// - Throws: `denied` when others can open it, or it is theirs.
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

    /// What stands under a name; nil if nothing does.
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

    /// When a file was last written, in seconds since 1970; nil if there is none.
    func modified(_ name: String) -> Int? {
        var status = stat()
        return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_mtim.tv_sec : nil
    }

    /// The names in the directory.
    func names() throws(RecordStoreError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw RecordStoreError(.failed, "The store \(path) cannot be listed.", underlying: error)
        }
    }

    /// The longest file that is read or written; a record takes a few kilobytes.
    static let longest = 16 << 20
}

extension StoreDirectory {
    /// Where a file is written before it takes its place. One name is enough: who writes holds the file's lock.
    private static func temporary(_ name: String) -> String { name + temporarySuffix }

    private static let temporarySuffix = ".new"

    /// The names of the files that a process is writing now, or was writing when it died.
    func leftovers() throws(RecordStoreError) -> [String] {
        try names().filter { $0.hasSuffix(Self.temporarySuffix) }.map {
            String($0.dropLast(Self.temporarySuffix.count))
        }
    }

    /// Removes what a process left that died in mid-write. The caller holds the file's lock.
    func sweep(_ name: String) throws(RecordStoreError) {
        let leftover = Self.temporary(name)
        if try identity(of: leftover) != nil { try remove(leftover) }
    }

    /// Puts these bytes in the place of a file in one step; when it returns, they are on the disk.
    ///
    /// - Parameter aside: another name for what is there now, which is then kept.
    /// - Throws: an error with a known outcome, up to the step that puts them there; after it, the outcome is unknown.
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
            // Not a step of its own: if it does not succeed, the next write does it.
            _ = unsafe unlinkat(descriptor, temporary, 0)
            throw RecordStoreError(error, "Could not write", "\(path)/\(name)")
        }
        try syncNames(after: name)
    }

    /// Removes a file; when it returns, it is gone from the disk.
    func remove(_ name: String) throws(RecordStoreError) {
        do throws(SystemError) {
            try steps.perform(.unlink) { unsafe unlinkat(descriptor, name, 0) }
        } catch {
            if error.number == ENOENT { return }
            throw RecordStoreError(error, "Could not remove", "\(path)/\(name)")
        }
        try syncNames(after: name)
    }

    /// Moves whatever is under a name to another one.
    func move(_ name: String, to aside: String) throws(RecordStoreError) {
        do throws(SystemError) {
            try steps.perform(.rename) { unsafe renameat(descriptor, name, descriptor, aside) }
        } catch {
            if error.number == ENOENT { return }
            throw RecordStoreError(error, "Could not set aside", "\(path)/\(name)")
        }
        try syncNames(after: name)
    }

    /// Gives what is under a name a second one, so that the first is empty at no instant.
    private func keep(_ name: String, as aside: String) throws(SystemError) {
        do throws(SystemError) {
            try steps.perform(.link) { unsafe linkat(descriptor, name, descriptor, aside, 0) }
        } catch {
            switch error.number {
            case ENOENT:
                return
            case EPERM, ENOTSUP, ENOSYS, EMLINK:
                // A directory has one name, and so have files on some file systems: a peer may read in between.
                try steps.perform(.rename) { unsafe renameat(descriptor, name, descriptor, aside) }
            default:
                throw error
            }
        }
    }

    /// Takes back what `keep` did.
    private func putBack(_ aside: String, to name: String) {
        var status = stat()
        if unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
            unsafe unlinkat(descriptor, aside, 0)
        } else {
            unsafe renameat(descriptor, aside, descriptor, name)
        }
    }

    private func syncNames(after name: String) throws(RecordStoreError) {
        do throws(SystemError) {
            try SmallFile.syncNames(of: descriptor, steps)
        } catch {
            throw RecordStoreError(
                error,
                "It is not known whether the change is on the disk:",
                "\(path)/\(name)",
                outcomeIsUnknown: true
            )
        }
    }
}
