internal import ArgumentParser
internal import Glibc
internal import Synchronization

/// What the person or a script says to the tool.
package enum StandardInput {
    /// The next line; a usage error when there is none, or when it is not UTF-8. What comes after it is left for whoever
    /// reads next.
    package static func line(_ what: String) throws -> String {
        var bytes: [UInt8] = []
        while let byte = nextByte(), byte != UInt8(ascii: "\n") { bytes.append(byte) }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw ValidationError("There is no \(what) on standard input.") }
        return try text(bytes, what)
    }

    /// All that is left, but no more bytes than these; a usage error when it is not UTF-8.
    package static func rest(atMost limit: Int) throws -> String {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let next = read(atMost: min(limit - bytes.count, 1 << 16))
            if next.isEmpty { break }
            bytes += next
        }
        return try text(bytes, "text")
    }

    private static func nextByte() -> UInt8? { read(atMost: 1).first }

    /// Reads without a buffer of the C library's, which a thread that ends the process would wait for.
    private static func read(atMost count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var got = -1
            repeat { got = unsafe Glibc.read(STDIN_FILENO, buffer.baseAddress, count) } while got < 0 && errno == EINTR
            initialized = max(0, got)
        }
    }

    private static func text(_ bytes: [UInt8], _ what: String) throws -> String {
        // Repaired silently, two different passwords could become one.
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError(
                "The \(what) on standard input is not UTF-8 text. Convert it, e.g. with iconv -t UTF-8."
            )
        }
        return text
    }
}

/// The person at the terminal: a tool asks on standard error, and reads the answer from standard input. Where one of them is
/// no terminal, nothing is asked.
package enum Terminal {
    /// Whether a person can be asked.
    package static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Asks whether to go on; returns if the answer is yes.
    ///
    /// - Parameter option: what to give where nobody can be asked, as the sentence "Give … ." has it.
    /// - Throws: a usage error where there is no terminal; `ToolError` with the status `refused` for any answer but yes.
    package static func confirm(_ question: String, orGive option: String) throws {
        guard isThere else { throw ValidationError("There is no terminal to ask on. Give \(option).") }
        guard isYes(question) else { throw ToolError(.refused, "Nothing was changed.", name: "declined") }
    }

    /// Asks a question; whether the answer is yes.
    package static func isYes(_ question: String) -> Bool {
        StandardError.ask("\(question) [y/N] ")
        let answer = (try? StandardInput.line("answer")) ?? ""
        return ["y", "yes"].contains(answer.lowercased())
    }

    /// The next line of standard input; a terminal does not show it, and the person is asked for it there.
    ///
    /// - Throws: a usage error when there is no line, or when it is not UTF-8.
    package static func hiddenLine(_ what: String, asking question: String) throws -> String {
        Echo.hide()
        defer { Echo.restore() }
        // Once the echo is off, so that nothing that is typed after the question is shown.
        if isThere { StandardError.ask("\(question): ") }
        return try StandardInput.line(what)
    }

    /// The password: the next line of standard input, which a terminal does not show. A person who chooses one types it twice.
    ///
    /// - Parameters:
    ///   - isNew: whether it is chosen now, by a person.
    ///   - question: what a person is asked.
    package static func password(isNew: Bool, asking question: String = "Password") throws -> String {
        let password = try hiddenLine("password", asking: question)
        if isNew, try hiddenLine("password", asking: "The same again") != password {
            throw ToolError(.usage, "The two passwords are not the same.", remedy: "Try again; nothing was changed.")
        }
        return password
    }
}

/// What the terminal shows of what is typed. However the process ends, short of being killed, all is shown again.
private enum Echo {
    private static let former = Mutex<termios?>(nil)
    private static let restoresAtEnd: Void = { atexit { Echo.restore() } }()

    /// Shows only the end of the line. The keys that stop a program, or end it without its doing, do nothing meanwhile.
    static func hide() {
        var settings = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        _ = restoresAtEnd
        let present = settings
        former.withLock { if $0 == nil { $0 = present } }
        settings.c_lflag = settings.c_lflag & ~tcflag_t(ECHO) | tcflag_t(ECHONL)
        unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
            for key in [VSUSP, VQUIT] { unsafe keys[Int(key)] = 0 }
        }
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// Shows all again.
    static func restore() {
        former.withLock { former in
            guard var settings = former else { return }
            unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
            former = nil
        }
    }
}
