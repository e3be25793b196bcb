internal import CommandLineSupport
internal import Glibc

/// The progress of a run on the last line of a terminal. Shows nothing if standard error is not a terminal.
struct ProgressBar {
    private static let width = 40
    private let total: Int
    private var done = 0

    /// Creates a progress bar. It is shown only if `total` is at least two.
    init(of total: Int) {
        self.total = total
    }

    private static let isShown = isatty(STDERR_FILENO) == 1

    /// Advances the bar by one.
    mutating func advance() { show(done + 1) }

    /// Sets the bar to a number.
    mutating func show(_ number: Int) {
        guard Self.isShown, total > 1, number != done, number <= total else { return }
        done = number
        let filled = done * Self.width / total
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        Self.write("\r[\(bar)] \(done) of \(total)")
    }

    /// Clears the line.
    func clear() {
        if total > 1 { Self.clearLine() }
    }

    /// Writes an error in place of the bar.
    static func write(_ error: ToolError) {
        clearLine()
        StandardError.write(error)
    }

    private static func clearLine() {
        if isShown { write("\r\u{1B}[K") }
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        // Ignore a failure: nothing else depends on the bar.
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
