/// Reads one date from the front of a text.
struct DateReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The time, or nil when the text is not one whole date.
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

    /// The zone's offset from universal time, in seconds; that is what stands after `GMT`, if anything does.
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
