package import FoundationEssentials

/// Parses and formats dates in HTTP headers, such as `Sun, 06 Nov 1994 08:49:37 GMT`:
/// https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7.
package enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// Parses the preferred format of HTTP; nil if the text has another format.
    package static func parse(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        return try? Date("\(parts[3])-\(twoDigits(month + 1))-\(parts[1])T\(parts[4])Z", strategy: .iso8601)
    }

    /// Formats a date of the years 1 to 9999. Fractions of a second are dropped.
    package static func text(_ date: Date) -> String {
        // The parts are year, month, day and time.
        let parts = date.ISO8601Format().split { "-TZ".contains($0) }
        guard parts.count == 4, let month = Int(parts[1]), months.indices.contains(month - 1) else { return "" }
        // 1 January 1970 was a Thursday.
        let days = Int((date.timeIntervalSince1970 / 86_400).rounded(.down)) + 4
        let weekday = weekdays[(days % 7 + 7) % 7]
        return "\(weekday), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) GMT"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
