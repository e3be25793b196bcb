package import SharedAuth

/// Names and values, told one below the other or as an object.
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
            let padding = String(repeating: " ", count: width - row.name.count + 2)
            try StandardOutput.write(line: row.name + padding + row.value)
        }
    }
}
