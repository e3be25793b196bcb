internal import ArgumentParser
internal import Glibc
internal import Synchronization

/// The input of a user or a script.
package enum StandardInput {
    /// Returns the next line. The input after it remains for the next reader.
    ///
    /// - Throws: A usage error if there is no line, or if it is empty or not UTF-8.
    package static func line(_ what: String) throws -> String {
        var bytes: [UInt8] = []
        while let byte = nextByte(), byte != UInt8(ascii: "\n") { bytes.append(byte) }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw ValidationError("There is no \(what) on standard input.") }
        return try text(bytes, what)
    }

    /// Returns the rest of the input, at most `limit` bytes.
    ///
    /// - Throws: A usage error if it is not UTF-8.
    package static func rest(atMost limit: Int) throws -> String {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let next = read(atMost: min(limit - bytes.count, 1 << 16))
            if next.isEmpty { break }
            bytes += next
        }
        return try text(bytes, "text")
    }

    static func nextByte() -> UInt8? { read(atMost: 1).first }

    /// Reads without stdio, which locks the stream while it waits: `exit` in another thread would wait for that lock.
    private static func read(atMost count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var got = -1
            repeat { got = unsafe Glibc.read(STDIN_FILENO, buffer.baseAddress, count) } while got < 0 && errno == EINTR
            initialized = max(0, got)
        }
    }

    private static func text(_ bytes: [UInt8], _ what: String) throws -> String {
        // Do not repair the text: two different passwords could become the same.
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError(
                "The \(what) on standard input is not UTF-8 text. Convert it, e.g. with iconv -t UTF-8."
            )
        }
        return text
    }
}

/// The user at the terminal. The tool prompts on standard error, and reads from standard input. Call ``isYes(_:)`` only
/// if both are terminals; the other methods check that.
package enum Terminal {
    /// Indicates whether a prompt can be shown.
    package static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Prompts for a confirmation. Returns if the user enters yes.
    ///
    /// - Parameter option: The option to give if there is no terminal, as in the sentence "Give … ."
    /// - Throws: A usage error if there is no terminal; `ToolError` with the status `refused` for any input but yes.
    package static func confirm(_ question: String, orGive option: String) throws {
        guard isThere else { throw ValidationError("There is no terminal to ask on. Give \(option).") }
        guard isYes(question) else { throw ToolError(.refused, "Nothing was changed.", name: "declined") }
    }

    /// Prompts for yes or no. Returns true for yes.
    package static func isYes(_ question: String) -> Bool {
        StandardError.ask("\(question) [y/N] ")
        let answer = (try? StandardInput.line("answer")) ?? ""
        return ["y", "yes"].contains(answer.lowercased())
    }

    /// Returns the next line of standard input. On a terminal, prompts for it and does not show it.
    ///
    /// - Throws: A usage error if there is no line, or if it is empty or not UTF-8.
    package static func hiddenLine(_ what: String, asking question: String) throws -> String {
        Echo.hide()
        defer { Echo.restore() }
        // Prompt after turning the echo off, so that nothing typed after the prompt is shown.
        if isThere { StandardError.ask("\(question): ") }
        return try StandardInput.line(what)
    }

    /// Returns the password from the next line of standard input, which a terminal does not show. For a new password,
    /// prompts twice.
    ///
    /// - Parameters:
    ///   - isNew: True if a user chooses the password now.
    ///   - question: The prompt.
    package static func password(isNew: Bool, asking question: String = "Password") throws -> String {
        let password = try hiddenLine("password", asking: question)
        if isNew, try hiddenLine("password", asking: "The same again") != password {
            throw ToolError(.usage, "The two passwords are not the same.", remedy: "Try again; nothing was changed.")
        }
        return password
    }
}

/// The echo of the terminal. It is restored when the process ends, unless the process is killed.
enum Echo {
    private struct State {
        /// The settings to restore; nil while the terminal has them.
        var former: termios?
        /// True while the process ends, when nothing may be hidden any longer.
        var isEnding = false
    }

    private static let state = Mutex(State())
    /// True while the terminal passes on each byte at once, without a limit of a line's length.
    static var readsLongLines: Bool { isLong.load(ordering: .relaxed) }
    private static let isLong = Atomic(false)
    private static let restoresAtEnd: Void = { atexit { Echo.restore(isEnding: true) } }()

    /// Echoes only the end of the line. Disables the keys that stop the process, or end it without its exit handlers.
    ///
    /// - Parameter readsLongLines: True to read lines beyond a terminal's 4095 bytes, such as addresses.
    static func hide(readingLongLines readsLongLines: Bool = false) {
        _ = restoresAtEnd
        state.withLock { state in
            var settings = termios()
            guard !state.isEnding, unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
            state.former = state.former ?? settings
            settings.c_lflag = settings.c_lflag & ~tcflag_t(ECHO) | tcflag_t(ECHONL)
            if readsLongLines {
                settings.c_lflag &= ~tcflag_t(ICANON)
                isLong.store(true, ordering: .relaxed)
            }
            unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
                for key in [VSUSP, VQUIT] { unsafe keys[Int(key)] = 0 }
                if readsLongLines { unsafe (keys[Int(VMIN)], keys[Int(VTIME)]) = (1, 0) }
            }
            unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
        }
    }

    /// Restores the echo.
    static func restore(isEnding: Bool = false) {
        state.withLock { state in
            if isEnding { state.isEnding = true }
            guard var settings = state.former else { return }
            unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
            state.former = nil
            isLong.store(false, ordering: .relaxed)
        }
    }
}
