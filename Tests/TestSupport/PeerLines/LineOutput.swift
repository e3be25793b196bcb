internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Standard output: whole lines, from any thread.
package enum LineOutput {
    private static let turn = Mutex(())

    package static func write(_ line: PeerLine) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(line) else { return }
        write(String(decoding: data, as: UTF8.self))
    }

    package static func write(_ line: String) {
        var rest = Array("\(line)\n".utf8)[...]
        turn.withLock { _ in
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { bytes in
                    unsafe Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
                }
                // Nobody reads any more: the test is over.
                guard count > 0 || errno == EINTR else { exit(1) }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }
}
