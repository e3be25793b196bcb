internal import Glibc

/// One notification of inotify.
struct Notification {
    let watch: Int32
    let mask: UInt32
    /// The entry it is about; empty for the watched directory itself.
    let name: String

    /// Those that are waiting, in order.
    static func read(from file: Int32) -> [Notification] {
        var notifications: [Notification] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return notifications }
            var rest = buffer[..<count]
            while let notification = Notification(parsing: &rest) { notifications.append(notification) }
        }
    }

    /// Takes the first one of the kernel's bytes: watch, mask, cookie and length of the name, then the name with zeros.
    private init?(parsing bytes: inout ArraySlice<UInt8>) {
        guard bytes.count >= MemoryLayout<inotify_event>.size else { return nil }
        let numbers = (0..<4).map { place in
            let start = bytes.startIndex + place * 4
            return unsafe bytes[start..<start + 4].withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
        }
        let text = bytes.dropFirst(16).prefix(Int(numbers[3]))
        watch = Int32(bitPattern: numbers[0])
        mask = numbers[1]
        name = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
        bytes = bytes.dropFirst(16 + Int(numbers[3]))
    }
}
