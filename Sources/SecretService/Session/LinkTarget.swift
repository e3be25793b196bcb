internal import Glibc

/// What a symbolic link points to; nil if nobody tells.
func linkTarget(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = unsafe readlink(path, &buffer, buffer.count)
    return length > 0 ? String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
}
