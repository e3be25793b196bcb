internal import CommandLineSupport
internal import OpenIDConnect
internal import SharedAuth
internal import Synchronization

/// Passes the addresses that the user pastes on to the sign-in that waits. Never shows them: they have the code.
final class PastedAddresses: Sendable {
    /// Indicates whether the caller asked to read standard input that is no terminal.
    private let isAsked: Bool
    private struct State {
        var reader: LineReader?
        /// True once nothing waits for an address any more: the browser may be opened later than that.
        var hasEnded = false
    }

    private let state = Mutex(State())

    init(isAsked: Bool) { self.isAsked = isAsked }

    private var isOnTerminal: Bool { Terminal.isThere && LineReader.isInForeground }

    /// Indicates whether addresses are read in this call of the tool.
    var areRead: Bool { isAsked || isOnTerminal }

    /// Starts reading, at the first call.
    func begin(_ settings: BrowserSettings) {
        let isOnTerminal = isOnTerminal
        guard areRead else { return }
        state.withLock { state in
            guard state.reader == nil, !state.hasEnded else { return }
            if isOnTerminal {
                StandardError.write(
                    line:
                        "If the browser cannot open its last page, e.g. on another machine, paste the address of that "
                        + "page here; it is not shown."
                )
            }
            state.reader = LineReader { line in
                do throws(AuthError) {
                    try settings.handle(redirect: line)
                } catch {
                    StandardError.write(
                        line: [error.message, error.toolRemedy].compactMap(\.self).joined(separator: " ")
                    )
                }
                return true
            }
        }
    }

    /// Stops reading.
    func end() {
        let reader = state.withLock { state in
            defer { state.reader = nil }
            state.hasEnded = true
            return state.reader
        }
        reader?.stop()
    }
}
