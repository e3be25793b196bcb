internal import CGLibSecret
internal import Glibc

/// Returns the file system type of an open file, as in `linux/magic.h`; nil on failure, with the error in `errno`.
package func fileSystemType(of file: Int32) -> UInt32? {
    var status = statfs()
    guard unsafe fstatfs(file, &status) == 0 else { return nil }
    return UInt32(truncatingIfNeeded: status.f_type)
}
