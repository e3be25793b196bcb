internal import FoundationEssentials

extension Date {
    /// As the header `Date` has it, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    var httpText: String {
        // The year, the month, the day and the time of day.
        let parts = ISO8601Format().split { "-TZ".contains($0) }
        let days = Int((timeIntervalSince1970 / 86_400).rounded(.down))
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][(days % 7 + 7) % 7]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 4, let month = Int(parts[1]), months.indices.contains(month - 1) else { return "" }
        return "\(weekday), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) GMT"
    }
}
