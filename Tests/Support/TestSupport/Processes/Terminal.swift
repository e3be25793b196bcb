internal import Glibc
internal import Synchronization

/// A terminal of 80 columns with a program that runs on it, as a user sees it and types.
///
/// It is the program's controlling terminal, so that keys such as Ctrl-C send signals. If the test process dies, the
/// program receives a hangup. Every wait is for an event and fails after a time.
package final class Terminal: Sendable {
    private struct Screen {
        var text: [UInt8] = []
        /// The number of bytes that were awaited.
        var seen = 0
    }

    private let process: ChildProcess
    private let master: Int32
    private let screen = Mutex(Screen())

    /// Starts a program on a new terminal, inside a keyring.
    package init(
        _ executable: String,
        _ arguments: [String],
        in keyring: PrivateKeyring,
        environment: [String: String] = [:]
    ) throws {
        master = try Files.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (isLocked, number) = (Int32(0), UInt32(0))
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        guard unsafe ioctl(master, Self.setLock, &isLocked) == 0, unsafe ioctl(master, Self.getNumber, &number) == 0,
            unsafe ioctl(master, UInt(TIOCSWINSZ), &size) == 0
        else {
            throw PrivateKeyringError("no terminal: error \(errno)")
        }
        process = try ChildProcess(
            [executable] + arguments,
            environment: keyring.environment.merging(environment) { $1 },
            terminal: "/dev/pts/\(number)"
        )
    }

    /// `TIOCSPTLCK` and `TIOCGPTN`, which Glibc in Swift leaves out. Its `openpty` makes descriptors that other
    /// children inherit.
    private static let (setLock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))

    deinit {
        close(master)
        process.end()
    }

    /// Waits until the program writes this text, after the text that was awaited before.
    package func await(_ text: String) throws {
        let wanted = Array(text.utf8)
        while true {
            let isThere = screen.withLock { screen in
                let rest = screen.text[screen.seen...]
                guard let end = rest.indices.first(where: { rest[$0...].starts(with: wanted) }) else { return false }
                screen.seen = end + wanted.count
                return true
            }
            if isThere { return }
            guard try readMore() else {
                throw PrivateKeyringError("the terminal never showed \"\(text)\", but \(shown.debugDescription)")
            }
        }
    }

    /// Types a text as key presses: `"\r"` is Return, `"\u{3}"` is Ctrl-C, and `"\t"` is the tabulator key.
    package func type(_ text: String) throws { try Files.write(Array(text.utf8), to: master) }

    /// Waits until the program ends. Returns its status, and all text of the terminal with plain line ends.
    package func end() throws -> (status: Int32, shown: String) {
        while try readMore() {}
        return (process.wait(), shown)
    }

    /// Whether typed text is shown.
    package var showsTyping: Bool {
        var settings = termios()
        return unsafe tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// All text that the terminal has shown, with plain line ends.
    package var shown: String {
        String(decoding: screen.withLock { $0.text }.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }

    /// Reads the program's next output. Returns false when no process has the terminal open.
    private func readMore() throws -> Bool {
        var waiting = [pollfd(fd: master, events: Int16(POLLIN), revents: 0)]
        guard unsafe poll(&waiting, 1, 20_000) == 1 else {
            throw PrivateKeyringError("the terminal shows nothing more than \(shown.debugDescription)")
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(master, &buffer, buffer.count)
        guard count > 0 else { return false }
        screen.withLock { $0.text += buffer[..<count] }
        return true
    }
}
