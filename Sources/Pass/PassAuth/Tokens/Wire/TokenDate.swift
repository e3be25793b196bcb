internal import FoundationEssentials
internal import Glibc

/// Dates in tokens' formats, parsed without a locale and without the machine's time zone.
///
/// Accepts `2011/03/19 02:29:34 GMT +0200`, which is the local time and its offset, despite the "GMT"; the same with
/// dashes, with `T`, without `GMT`, with fractions of a second, with `Z` or an offset such as `+02:00`; and
/// milliseconds since 1970. A date without a zone is refused, unless it has `GMT`.
enum TokenDate {
    static func date(_ text: String, in element: String) throws(PassTokenError) -> Date {
        let bytes = Array(text.utf8)
        if bytes.count <= 15, !bytes.isEmpty, bytes.allSatisfy({ (0x30...0x39).contains($0) }),
            let milliseconds = Int64(text), milliseconds / 1000 <= Int64(lastSecond)
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
        guard (Self.firstSecond...Self.lastSecond).contains(seconds) else { return "no date" }
        var whole = time_t(seconds)
        var time = unsafe tm()
        unsafe gmtime_r(&whole, &time)
        let day = unsafe "\(pad(time.tm_year + 1900, 4))/\(pad(time.tm_mon + 1, 2))/\(pad(time.tm_mday, 2))"
        return unsafe "\(day) \(pad(time.tm_hour, 2)):\(pad(time.tm_min, 2)):\(pad(time.tm_sec, 2)) GMT +0000"
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

    /// The first second of the year 1.
    private static let firstSecond = -62_135_596_800.0
    /// The last second of the year 9999.
    private static let lastSecond = 253_402_300_799.0

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
            let day = number(2), let midnight = Self.midnight(year, month, day), one(of: " T") != nil,
            let time = secondOfDay(), let fraction = fraction(), let offset = offset(), rest.isEmpty
        else { return nil }
        return Double(midnight + time - offset) + fraction
    }

    /// Returns when a day of the Gregorian calendar begins in universal time; nil if there is no such day.
    private static func midnight(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
        var time = unsafe tm()
        unsafe (time.tm_year, time.tm_mon, time.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        let seconds = unsafe timegm(&time)
        // The day after the last one of a month becomes the first one of the next.
        guard unsafe year > 0 && time.tm_mon == month - 1 && time.tm_mday == day else { return nil }
        return Int64(seconds)
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
