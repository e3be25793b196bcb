internal import ArgumentParser
internal import Glibc
internal import SharedAuth

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

/// The tool's answers.
package enum StandardOutput {
    /// Writes a line at once. What a terminal would obey instead of showing it becomes `?`.
    ///
    /// - Throws: `OutputError`.
    package static func write(line: String) throws(OutputError) {
        try write(text: line.printable + "\n")
    }

    /// Writes a text as it is: help and completion scripts, which contain nothing from outside.
    static func write(text: String) throws(OutputError) {
        if let error = Stream.write(text, to: STDOUT_FILENO) { throw OutputError(systemError: error) }
    }
}

/// Why an answer could not be written.
package struct OutputError: Error {
    /// The system's number of the error.
    let systemError: Int32

    /// Whether the reader of the output has closed it.
    package var isClosedPipe: Bool { systemError == EPIPE }

    /// What to say of it; nil when the reader of the output wants no more of it.
    package var message: String? {
        if isClosedPipe { return nil }
        let reason = unsafe String(cString: strerror(systemError))
        return "The answer could not be written to standard output: \(reason). Make room there, or write it elsewhere."
    }
}

/// The tool's error messages.
package enum StandardError {
    /// Writes a line that names the tool.
    package static func write(line: String) {
        let oneLine = line.split(whereSeparator: \.isNewline).joined(separator: " ")
        // If this cannot be written, there is no other place to say so.
        _ = Stream.write("sharedauth: \(oneLine.printable)\n", to: STDERR_FILENO)
    }

    /// Writes what failed, where, and what to do, on one line.
    package static func write(_ error: ToolError) {
        guard ToolError.areJSON, let text = try? error.json.text else { return write(line: error.text) }
        _ = Stream.write(text + "\n", to: STDERR_FILENO)
    }

    /// Writes a question, and stays on its line for the answer.
    package static func ask(_ question: String) {
        _ = Stream.write("sharedauth: \(question.printable)", to: STDERR_FILENO)
    }

    /// Writes a text of several lines, e.g. how the tool is called, in which there may be something that the caller
    /// wrote.
    static func write(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
        _ = Stream.write(lines.joined(separator: "\n") + "\n", to: STDERR_FILENO)
    }
}

/// Unbuffered writing, whole.
private enum Stream {
    /// Writes a text; the system's number of the error if that fails, else nil.
    static func write(_ text: String, to file: Int32) -> Int32? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.write(file, buffer.baseAddress, buffer.count)
            }
            if count < 0 && errno != EINTR { return errno }
            rest = rest.dropFirst(max(0, count))
        }
        return nil
    }
}

extension String {
    /// The text on one line, without what a terminal would obey: servers and other apps chose it. What is invisible but
    /// belongs to how a word is written, such as a joiner, stays.
    package var printable: String {
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isDisplayControl { text += "?" } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
