/// A day of the Gregorian calendar, within the years 1 to 9999.
struct Day {
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

    /// The day that a time in universal time falls on.
    init?(of secondsSince1970: Int64) {
        guard (-62_135_596_800...253_402_300_799).contains(secondsSince1970) else { return nil }
        let days = (secondsSince1970 + 719_162 * 86_400) / 86_400
        // A first guess by the mean length of a year is at most one off.
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
