internal import Glibc

/// What the environment says: one variable at a time, as all of it takes longer to copy than a record to read.
package enum Environment {
    /// The value of a variable; nil when it is unset or empty.
    package static subscript(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
    }
}

/// What a symbolic link points to; nil if nobody tells.
func linkTarget(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = unsafe readlink(path, &buffer, buffer.count)
    return length > 0 ? String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
}
