internal import Glibc

/// Two connected file descriptors that no child process inherits by accident.
///
/// A socket pair, as Glibc in Swift has no way to make a pipe that is closed on exec from the start.
struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw PrivateKeyringError("no pipe: error \(errno)")
        }
        (reading, writing) = (ends[0], ends[1])
    }
}
