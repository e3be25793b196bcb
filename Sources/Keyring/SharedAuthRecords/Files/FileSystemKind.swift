internal import DesktopSupport
internal import Glibc

/// The kind of a file system: whether its calls always return.
package enum FileSystemKind: Sendable {
    /// A file system on this machine, or of a type that is not known to be remote.
    case local
    /// A file system behind a network or another process: a call may block forever.
    case remote

    /// Creates the kind of a file system type, as `statfs` returns it.
    package init(type: UInt32) {
        self = Self.remoteTypes.contains(type) ? .remote : .local
    }

    /// From `linux/magic.h` and the file systems' own sources.
    private static let remoteTypes: [UInt32] = [
        0x6969,  // NFS
        0x517B, 0xFE53_4D42, 0xFF53_4D42,  // SMB, SMB 2, CIFS
        0x5346_414F, 0x6B41_4653,  // AFS of the kernel, OpenAFS
        0x0102_1997,  // 9p
        0x6573_5546,  // FUSE: sshfs, GVfs, rclone
        0x00C3_6400,  // Ceph
        0x7375_7245,  // Coda
        0x564C,  // NCP
        0x0187,  // autofs, which mounts one of these at the first call
        0x0BD0_0BD0,  // Lustre
        0x4750_4653,  // GPFS
        0x0116_1970, 0x7461_636F,  // GFS2, OCFS2
        0x2003_0528,  // OrangeFS
        0x1983_0326,  // BeeGFS
        0x786F_4256, 0xBACB_ACBC, 0x7C7C_6673,  // folders that VirtualBox, VMware and Parallels share
        0xF15F,  // eCryptfs, which encrypts what may be one of these
    ]

    /// Determines the kind of the file system of a directory that exists or will be created. If this fails, the kind is
    /// `local`, and the call that needs the directory reports the error.
    init(of folder: Folder) {
        self = Self.type(of: folder).map(FileSystemKind.init(type:)) ?? .local
    }

    /// Returns the file system type of a directory, or of its nearest existing parent.
    static func type(of folder: Folder) -> UInt32? {
        do throws(SystemError) {
            return try folder.reach(".") { (directory, name) throws(SystemError) in
                let opened = unsafe openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                guard opened >= 0 else { throw .last }
                defer { close(opened) }
                guard let type = fileSystemType(of: opened) else { throw .last }
                return type
            }
        } catch {
            guard [ENOENT, ENOTDIR].contains(error.number), let above = folder.above else { return nil }
            return type(of: above)
        }
    }
}
