internal import FoundationEssentials
package import SharedAuth

/// Names and values, printed one below the other or as an object.
package struct Table {
    private var json: [String: JSONValue] = [:]
    private var rows: [(name: String, value: String)] = []

    /// Makes an empty table.
    package init() {}

    /// Adds a row, under one name for programs and another for people.
    package mutating func add(_ member: String, _ value: JSONValue, _ name: String, _ text: String) {
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
