internal import CGLibSecret
internal import Glibc

/// The process's environment, read one variable at a time: copying all of it takes longer than reading a record. A
/// program with more privileges than its caller, such as one with a file capability, gets no variables.
package enum Environment {
    /// Returns the value of a variable; nil if it is unset or empty.
    package static subscript(_ name: String) -> String? {
        guard let value = unsafe secure_getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
    }
}
