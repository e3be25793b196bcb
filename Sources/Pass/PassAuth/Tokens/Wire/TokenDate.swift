internal import FoundationEssentials

/// Dates in tokens' formats, parsed without a locale and without the machine's time zone.
///
/// Accepts `2011/03/19 02:29:34 GMT +0200`, which is the local time and its offset, despite the "GMT"; the same with
/// dashes, with `T`, without `GMT`, with fractions of a second, with `Z` or an offset such as `+02:00`; and
/// milliseconds since 1970. A date without a zone is refused, unless it has `GMT`.
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
                "The token's \(element) is not a date such as 2011/03/19 02:29:34 GMT +0200. Check the server's response."
            )
        }
        return Date(timeIntervalSince1970: seconds)
    }

    /// Returns the date as Adobe's servers write it: in universal time, in whole seconds, rounded down.
    static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard let whole = Int64(exactly: seconds), let day = Day(of: whole) else { return "no date" }
        let time = whole - day.secondsSince1970
        let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60)
        return "\(pad(day.year, 4))/\(pad(day.month, 2))/\(pad(day.number, 2)) "
            + "\(pad(hour, 2)):\(pad(minute, 2)):\(pad(second, 2)) GMT +0000"
    }

    /// Returns the same as `text`, for a date that a token can carry.
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

/// Parses one date from the start of a text.
private struct DateReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Returns the time; nil if the text is not exactly one date.
    mutating func secondsSince1970() -> Double? {
        guard let year = number(4), let separator = one(of: "/-"), let month = number(2), one(of: [separator]) != nil,
            let number = number(2), let day = Day(year: year, month: month, number: number), one(of: " T") != nil,
            let time = secondOfDay(), let fraction = fraction(), let offset = offset(), rest.isEmpty
        else { return nil }
        return Double(day.secondsSince1970 + time - offset) + fraction
    }

    private mutating func secondOfDay() -> Int64? {
        guard let hour = number(2), hour < 24, one(of: ":") != nil, let minute = number(2), minute < 60,
            one(of: ":") != nil, let second = number(2), second < 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private mutating func fraction() -> Double? {
        guard one(of: ".") != nil else { return 0 }
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard (1...9).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return Double("0." + String(decoding: digits, as: UTF8.self))
    }

    /// Returns the zone's offset from universal time, in seconds: the offset after `GMT`, if there is one.
    private mutating func offset() -> Int64? {
        if one(of: "Z") != nil { return 0 }
        _ = one(of: " ")
        let saysGMT = rest.starts(with: "GMT".utf8)
        if saysGMT {
            rest = rest.dropFirst(3)
            if rest.isEmpty { return 0 }
            _ = one(of: " ")
        }
        guard let sign = one(of: "+-"), let hours = number(2), hours < 24 else { return nil }
        _ = one(of: ":")
        guard let minutes = number(2), minutes < 60 else { return nil }
        let offset = hours * 3600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -offset : offset
    }

    private mutating func number(_ width: Int) -> Int64? {
        let digits = rest.prefix(width)
        guard digits.count == width, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(width)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private mutating func one(of allowed: String) -> UInt8? { one(of: Array(allowed.utf8)) }

    private mutating func one(of allowed: [UInt8]) -> UInt8? {
        guard let first = rest.first, allowed.contains(first) else { return nil }
        rest = rest.dropFirst()
        return first
    }
}

/// A day of the Gregorian calendar, within the years 1 to 9999.
private struct Day {
    let year: Int64
    let month: Int64
    let number: Int64

    /// The day's midnight, in seconds since 1970 in universal time.
    var secondsSince1970: Int64 {
        (Self.daysBefore(year: year) + Self.daysBefore(month, year) + number - 1 - epoch) * 86_400
    }

    private var epoch: Int64 { 719_162 }

    init?(year: Int64, month: Int64, number: Int64) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Self.length(of: month, year)).contains(number)
        else { return nil }
        (self.year, self.month, self.number) = (year, month, number)
    }

    /// Creates the day of a time in universal time.
    init?(of secondsSince1970: Int64) {
        guard (-62_135_596_800...253_402_300_799).contains(secondsSince1970) else { return nil }
        let days = (secondsSince1970 + 719_162 * 86_400) / 86_400
        // The first estimate, using the mean length of a year, is at most one off.
        var year = days * 400 / 146_097 + 1
        while Self.daysBefore(year: year) > days { year -= 1 }
        while Self.daysBefore(year: year + 1) <= days { year += 1 }
        let rest = days - Self.daysBefore(year: year)
        var month: Int64 = 1
        while month < 12, Self.daysBefore(month + 1, year) <= rest { month += 1 }
        self.init(year: year, month: month, number: rest - Self.daysBefore(month, year) + 1)
    }

    private static func daysBefore(year: Int64) -> Int64 {
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400
    }

    private static func daysBefore(_ month: Int64, _ year: Int64) -> Int64 {
        (1..<month).reduce(0) { $0 + length(of: $1, year) }
    }

    private static func length(of month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
