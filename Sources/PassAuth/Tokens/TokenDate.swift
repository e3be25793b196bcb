internal import FoundationEssentials

/// Dates as tokens write them, read by hand: no locale, no time zone of the machine.
///
/// Read are `2011/03/19 02:29:34 GMT +0200`, which is the local time and its offset, whatever "GMT" may suggest; the same
/// with dashes, with `T`, without `GMT`, with fractions of a second, with `Z` or an offset such as `+02:00`; and
/// milliseconds since 1970. A date without a zone is refused, unless it says `GMT`.
enum TokenDate {
    static func date(_ text: String, in element: String) throws(PassTokenError) -> Date {
        let bytes = Array(text.utf8)
        if bytes.count <= 15, !bytes.isEmpty, bytes.allSatisfy({ (0x30...0x39).contains($0) }),
            let milliseconds = Int64(text), milliseconds <= last
        {
            return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        }
        var reader = DateReader(bytes)
        guard let seconds = reader.secondsSince1970() else {
            throw PassTokenError(
                .invalidDate,
                "The token's \(element) is not a date such as 2011/03/19 02:29:34 GMT +0200. Look at what the server sends."
            )
        }
        return Date(timeIntervalSince1970: seconds)
    }

    /// The date as Adobe's servers write it, in universal time, in whole seconds, rounded down.
    static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard let whole = Int64(exactly: seconds), let day = Day(of: whole) else { return "no date" }
        let time = whole - day.secondsSince1970
        let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60)
        return "\(pad(day.year, 4))/\(pad(day.month, 2))/\(pad(day.number, 2)) "
            + "\(pad(hour, 2)):\(pad(minute, 2)):\(pad(second, 2)) GMT +0000"
    }

    /// As `text`, for a date that a token can carry.
    static func checkedText(_ date: Date, _ element: String) throws(PassTokenError) -> String {
        let text = text(date)
        guard text.utf8.count > 10 else {
            throw PassTokenError(
                .invalidValue,
                "A token cannot carry this \(element): its year is not within 1 to 9999."
            )
        }
        return text
    }

    /// The last millisecond of the year 9999.
    private static let last: Int64 = 253_402_300_799_999

    private static func pad(_ number: some BinaryInteger, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
