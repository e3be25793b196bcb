internal import Glibc

/// Two connected file descriptors that no child process inherits by accident: what is written to one is read from the
/// other.
///
/// Also where one way is enough, as Glibc in Swift has no way to make a pipe that is closed on exec from the start.
package struct SocketPair: Sendable {
    /// The end of whoever made it.
    package let ours: Int32
    /// The end for another process.
    package let theirs: Int32

    /// Makes a pair; the caller closes both ends.
    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw PrivateKeyringError("no pipe: error \(errno)")
        }
        (ours, theirs) = (ends[0], ends[1])
    }
}
