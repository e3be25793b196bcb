internal import Glibc

/// The tool's answers.
package enum StandardOutput {
    /// Writes a line at once, whoever reads.
    package static func write(line: String) {
        Stream.write(line + "\n", to: STDOUT_FILENO)
    }
}

/// The tool's complaints.
package enum StandardError {
    /// Writes a line that names the tool.
    package static func write(line: String) {
        let oneLine = line.split(whereSeparator: \.isNewline).joined(separator: " ")
        Stream.write("sharedauth: \(oneLine.printable)\n", to: STDERR_FILENO)
    }
}

/// Unbuffered writing, whole.
private enum Stream {
    static func write(_ text: String, to file: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Glibc.write(file, buffer.baseAddress, buffer.count)
            }
            if count < 0 && errno != EINTR { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
