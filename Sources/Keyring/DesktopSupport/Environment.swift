internal import CLibsecret
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

/// Returns the target of a symbolic link; nil if it cannot be read.
package func linkTarget(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = unsafe readlink(path, &buffer, buffer.count)
    return length > 0 ? String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
}

/// Returns the first 16 KiB of a file as text; nil if it cannot be read.
package func beginning(ofFile path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = unsafe buffer.withUnsafeMutableBytes { buffer in
        unsafe read(file, buffer.baseAddress, buffer.count)
    }
    return count >= 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
}
