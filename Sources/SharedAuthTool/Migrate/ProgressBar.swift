internal import CommandLineSupport
internal import Glibc

/// How far a run has come, on the last line of a terminal; nothing where standard error is none.
struct ProgressBar {
    private static let width = 40
    private let total: Int
    private var done = 0

    /// Nothing is shown of less than two.
    init(of total: Int) {
        self.total = total
    }

    private static let isShown = isatty(STDERR_FILENO) == 1

    /// Shows that one more is done.
    mutating func advance() { show(done + 1) }

    /// Shows that so many are done.
    mutating func show(_ number: Int) {
        guard Self.isShown, total > 1, number != done, number <= total else { return }
        done = number
        let filled = done * Self.width / total
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
        Self.write("\r[\(bar)] \(done) of \(total)")
    }

    /// Leaves the line empty.
    func clear() {
        if total > 1 { Self.clearLine() }
    }

    /// Writes an error, over the bar if there is one.
    static func write(_ error: ToolError) {
        clearLine()
        StandardError.write(error)
    }

    private static func clearLine() {
        if isShown { write("\r\u{1B}[K") }
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        // What is not shown is no loss.
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
