internal import Glibc

/// Why a system call failed.
package struct SystemError: Error, CustomStringConvertible {
    package let number: Int32
    package static var last: SystemError { SystemError(number: errno) }
    package var description: String { unsafe String(cString: strerror(number)) }
}
