internal import FoundationEssentials
internal import Glibc
package import SharedAuth

/// The tool's results.
package enum StandardOutput {
    /// Writes a line immediately. Characters that control a terminal are replaced with `?`.
    ///
    /// - Throws: `OutputError`.
    package static func write(line: String) throws(OutputError) {
        try write(text: line.printable + "\n")
    }

    /// Writes a text unchanged: help and completion scripts, which contain no external text.
    static func write(text: String) throws(OutputError) {
        if let error = Stream.write(text, to: STDOUT_FILENO) { throw OutputError(systemError: error) }
    }
}

/// An error of writing the output.
package struct OutputError: Error {
    /// The system's error number.
    let systemError: Int32

    /// Indicates whether the reader of the output has closed it.
    package var isClosedPipe: Bool { systemError == EPIPE }

    /// The message; nil if the reader closed the output.
    package var message: String? {
        if isClosedPipe { return nil }
        let reason = unsafe String(cString: strerror(systemError))
        return
            "The answer could not be written to standard output: \(reason). Free some space there, or write it elsewhere."
    }
}

/// Names and values, printed as rows or as a JSON object.
package struct Table {
    private var json: [String: JSONValue] = [:]
    private var rows: [(name: String, value: String)] = []

    /// Creates an empty table.
    package init() {}

    /// Adds a row, with one name for JSON and another for text output.
    package mutating func add(_ member: String, _ value: JSONValue, row name: String, text: String) {
        json[member] = value
        rows.append((name, text))
    }

    /// Prints the table.
    package func print(asJSON: Bool) throws {
        if asJSON { return try StandardOutput.write(line: try JSONValue.object(json).text) }
        let width = rows.map(\.name.count).max() ?? 0
        for row in rows {
            try StandardOutput.write(line: row.name.padded(to: width + 2) + row.value)
        }
    }
}

/// The tool's error messages.
package enum StandardError {
    /// Writes a line that starts with `sharedauth: `, for each of the tools.
    package static func write(line: String) {
        let oneLine = line.split(whereSeparator: \.isNewline).joined(separator: " ")
        // Ignore a failure: there is no other place to report it.
        _ = Stream.write("sharedauth: \(oneLine.printable)\n", to: STDERR_FILENO)
    }

    /// Writes an error and its remedy, on one line.
    package static func write(_ error: ToolError) {
        guard ToolError.areJSON, let text = try? error.json.text else { return write(line: error.text) }
        _ = Stream.write(text + "\n", to: STDERR_FILENO)
    }

    /// Writes a prompt without ending the line.
    package static func ask(_ question: String) {
        _ = Stream.write("sharedauth: \(question.printable)", to: STDERR_FILENO)
    }

    /// Writes a text of several lines, such as usage. It may contain text of the caller.
    static func write(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
        _ = Stream.write(lines.joined(separator: "\n") + "\n", to: STDERR_FILENO)
    }
}

/// Complete, unbuffered writes.
private enum Stream {
    /// Writes a text. Returns the system's error number, or nil on success.
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

extension JSONValue {
    /// The value on one line, with object members in alphabetical order. Characters that control a terminal are
    /// escaped, so that the line can be displayed safely and decodes to the same value.
    package var text: String {
        get throws {
            Self.escaped(String(decoding: try StableJSON.encode(self), as: UTF8.self))
        }
    }

    /// Escapes characters that control a terminal, which occur only in JSON strings.
    private static func escaped(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: \.isDisplayControl) else { return json }
        return json.unicodeScalars.reduce(into: "") { text, scalar in
            guard scalar.isDisplayControl else { return text.unicodeScalars.append(scalar) }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }

    /// Creates a string, or null.
    package init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }
}

extension String {
    /// The text on one line, without characters that control a terminal, since servers and other apps chose it.
    /// Invisible characters that belong to the spelling of a word, such as joiners, are kept.
    package var printable: String {
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isDisplayControl { text += "?" } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }
}
