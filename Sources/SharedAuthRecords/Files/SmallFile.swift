internal import Glibc

/// Reads and writes small files whole: reads as fast as the system can, and without waiting for anybody.
package enum SmallFile {
    package enum Contents {
        case none
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
            default: throw RecordStoreError(.last, "There is no way to read", path)
            }
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw RecordStoreError(.last, "There is no way to read", path) }
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
            guard added >= 0 else { throw RecordStoreError(.last, "There is no way to read", path) }
            if added == 0 { break }
            filled += added
        }
        bytes.removeSubrange(filled...)
        return bytes
    }
}
