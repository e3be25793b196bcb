internal import ArgumentParser

/// A duration on the command line: a whole number and a unit, such as `500ms`, `30s`, `5m` or `1h`.
package enum DurationArgument {
    /// The name of the value in help.
    package static let valueName = "duration"

    private static let units: [(name: String, duration: Duration)] = [
        ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)),
    ]

    /// Returns the duration that a text specifies.
    ///
    /// - Throws: A usage error for any other text, for zero, and for more than nine digits.
    package static func duration(_ text: String) throws -> Duration {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit = units.first { $0.name == text.dropFirst(digits.count) }
        // Nine digits cannot overflow, even in hours.
        guard let unit, digits.count <= 9, let count = Int(digits), count > 0 else {
            throw ValidationError("Give a whole number above 0 and a unit: 500ms, 30s, 5m or 1h.")
        }
        return unit.duration * count
    }
}
