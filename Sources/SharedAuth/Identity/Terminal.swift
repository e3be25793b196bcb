internal import Glibc

/// The terminal that a command-line program runs in.
enum Terminal {
    /// Whether the process belongs to one: it has a controlling terminal.
    static let isAttached: Bool = {
        let terminal = unsafe open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
        if terminal >= 0 { close(terminal) }
        return terminal >= 0
    }()
}
