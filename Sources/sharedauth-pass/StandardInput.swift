internal import Glibc

/// What the person or a script says to the tool.
enum StandardInput {
    /// All of it, up to more than the largest token that is read.
    static func text() -> String {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while text.count < 1 << 20 {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe read(STDIN_FILENO, buffer.baseAddress, buffer.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            text += chunk.prefix(count)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
