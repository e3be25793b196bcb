internal import Glibc

/// The tool's answers.
package enum StandardOutput {
    /// Writes a line at once. What a terminal would obey instead of showing it becomes `?`.
    ///
    /// - Throws: `OutputError`.
    package static func write(line: String) throws(OutputError) {
        try write(text: line.printable + "\n")
    }

    /// Writes a text as it is: help and completion scripts, which nobody from outside has a part in.
    static func write(text: String) throws(OutputError) {
        if let error = Stream.write(text, to: STDOUT_FILENO) { throw OutputError(systemError: error) }
    }
}

/// The tool's complaints.
package enum StandardError {
    /// Writes a line that names the tool.
    package static func write(line: String) {
        let oneLine = line.split(whereSeparator: \.isNewline).joined(separator: " ")
        // Where complaints cannot be written, nobody can be informed of that.
        _ = Stream.write("sharedauth: \(oneLine.printable)\n", to: STDERR_FILENO)
    }

    /// Writes a question, and stays on its line for the answer.
    package static func ask(_ question: String) {
        _ = Stream.write("sharedauth: \(question.printable)", to: STDERR_FILENO)
    }

    /// Writes a text of several lines, e.g. how the tool is called, in which there may be something that the caller wrote.
    static func write(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
        _ = Stream.write(lines.joined(separator: "\n") + "\n", to: STDERR_FILENO)
    }
}

/// Why an answer could not be written.
package struct OutputError: Error {
    /// The system's number of the error.
    let systemError: Int32

    /// Whether whoever read the output has closed it.
    package var isClosedPipe: Bool { systemError == EPIPE }

    /// What to say of it; nil when whoever read the output wants no more of it.
    package var message: String? {
        if isClosedPipe { return nil }
        let reason = unsafe String(cString: strerror(systemError))
        return "The answer could not be written to standard output: \(reason). Make room there, or write it elsewhere."
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
