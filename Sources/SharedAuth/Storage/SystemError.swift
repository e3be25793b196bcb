internal import Glibc

/// Why a system call failed.
struct SystemError: Error, CustomStringConvertible {
    let number: Int32
    static var last: SystemError { SystemError(number: errno) }
    var description: String { unsafe String(cString: strerror(number)) }
}
