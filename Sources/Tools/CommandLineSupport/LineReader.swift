internal import DesktopSupport
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Reads lines of standard input while the program waits for something else, until it is stopped. The input after the
/// last line remains for the next reader.
package final class LineReader: Sendable {
    /// The greatest length of a line in bytes. Of a longer one, one byte more is passed on, so that it can be refused.
    private static let limit = 65_536

    private let ends: (mine: Int32, theirs: Int32)
    private let hasEnded = DispatchSemaphore(value: 0)
    private let take: @Sendable (String) -> Bool

    /// Returns whether this process may read from a terminal on standard input: the shell stops one in the background.
    package static var isInForeground: Bool { isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp() }

    /// Starts reading. A terminal does not show what is typed or pasted.
    ///
    /// - Parameter take: Called with each line that is not empty, on a thread of the reader; returns whether to go on.
    package init(_ take: @escaping @Sendable (String) -> Bool) {
        self.take = take
        var ends: [Int32] = [-1, -1]
        _ = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
        self.ends = (ends[0], ends[1])
        // Without a pair, nothing could stop the thread.
        guard ends[0] >= 0 else {
            hasEnded.signal()
            return
        }
        Echo.hide(readingLongLines: true)
        startThread(named: "line-reader") { [self] in
            read()
            hasEnded.signal()
        }
    }

    /// Stops reading, and shows what is typed again. Call it once.
    package func stop() {
        // The thread ends when it notices this.
        shutdown(ends.mine, Int32(SHUT_RDWR))
        hasEnded.wait()
        guard ends.mine >= 0 else { return }
        Echo.restore()
        close(ends.mine)
        close(ends.theirs)
    }

    private func read() {
        var line: [UInt8] = []
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                let text = String(decoding: line, as: UTF8.self)
                line = []
                if !text.allSatisfy(\.isWhitespace), !take(text) { return }
            // A terminal that reads long lines leaves these keys to the program: Ctrl-D, Backspace and Ctrl-U.
            case 4 where Echo.readsLongLines: return
            case 8 where Echo.readsLongLines, 127 where Echo.readsLongLines: _ = line.popLast()
            case 21 where Echo.readsLongLines: line = []
            default: if line.count <= Self.limit { line.append(byte) }
            }
        }
    }

    /// Returns the next byte; nil when the reader is stopped or the input has ended.
    private func next() -> UInt8? {
        var entries = [STDIN_FILENO, ends.theirs].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        repeat {
            guard unsafe poll(&entries, 2, -1) >= 0 || errno == EINTR else { return nil }
            if entries[1].revents != 0 { return nil }
        } while entries[0].revents == 0
        return StandardInput.nextByte()
    }
}
