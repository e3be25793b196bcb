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
            throw RecordStoreError(.last, "There is no way to open the store", path)
        }
        let directory = StoreDirectory(path: path, descriptor: descriptor, steps: steps)
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw RecordStoreError(.last, "There is no way to open the store", path)
        }
        guard status.st_uid == geteuid() else { throw .foreign(path, owner: status.st_uid) }
        guard status.st_mode & 0o077 == 0 else { throw .tooOpen(path, mode: status.st_mode, needed: "700") }
        return directory
    }

    /// Makes the directory, and those above it that are missing, closed to others.
    static func make(_ path: String) throws(RecordStoreError) {
        let above = path.split(separator: "/").dropLast().joined(separator: "/")
        try? FileManager.default.createDirectory(
            atPath: path.hasPrefix("/") ? "/\(above)" : "./\(above)",
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        // In one step with its mode: another process that looks in between must not find it open to others.
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            let failure = SystemError.last
            throw RecordStoreError(
                .unavailable,
                "The directory \(path) of the store cannot be made: \(failure).",
                remedy: "Make the directory above it writable, or choose another one for the store.",
                underlying: failure
            )
        }
        // So that the directory itself is still there after a power failure.
        let parent = unsafe Glibc.open(path + "/..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if parent >= 0 {
            fsync(parent)
            close(parent)
        }
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
        throw RecordStoreError(.last, "There is no way to look at", "\(path)/\(name)")
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
