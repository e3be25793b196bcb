internal import CLibsecret
internal import Glibc

/// The number of the type of file system that an open file is on, from `linux/magic.h`; nil if `errno` says why it
/// cannot be told.
package func fileSystemType(of file: Int32) -> UInt32? {
    var status = statfs()
    guard unsafe fstatfs(file, &status) == 0 else { return nil }
    return UInt32(truncatingIfNeeded: status.f_type)
}
