internal import FoundationEssentials
internal import Glibc
package import SharedAuth

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

/// Names and values, printed one below the other or as an object.
package struct Table {
    private var json: [String: JSONValue] = [:]
    private var rows: [(name: String, value: String)] = []

    /// Makes an empty table.
    package init() {}

    /// Adds a row, under one name for programs and another for people.
    package mutating func add(_ member: String, _ value: JSONValue, row name: String, text: String) {
        json[member] = value
        rows.append((name, text))
    }

    /// Prints it.
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

extension JSONValue {
    /// The value on one line, with the members of objects in alphabetical order. What a terminal would obey instead of
    /// showing it is escaped, so that the line can be looked at and still says the same to a program.
    package var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Self.escaped(String(decoding: try encoder.encode(self), as: UTF8.self))
        }
    }

    /// Only texts within the JSON have such characters.
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

    /// A text, or null.
    package init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
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
