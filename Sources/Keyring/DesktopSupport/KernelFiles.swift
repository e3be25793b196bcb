internal import Glibc

// Reads files and directories such as those of `/proc`.

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

/// Returns all bytes of a file whose length is not known, such as one in `/proc`; nil if it cannot be opened.
package func contents(ofFile path: String) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var (bytes, buffer): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 4096))
    while true {
        let count = unsafe read(file, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return bytes }
        bytes += buffer.prefix(count)
    }
}

/// Returns the names in a directory; empty if it cannot be read.
package func names(inDirectory path: String) -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
        names.append(
            unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        )
    }
    return names
}

/// Returns the IDs of the processes that are visible here.
package func visibleProcesses() -> [Int32] { names(inDirectory: "/proc").compactMap { Int32($0) } }
