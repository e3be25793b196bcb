internal import FoundationEssentials

/// The difference between the server's clock and this machine's, by the `Date` header of a response.
///
/// Dates from the server are moved by this difference, so that lifetimes keep the length that the server intends. There
/// is no correction if the response has no date, or if the difference is within the tolerance.
struct ClockSkew: Sendable {
    /// The largest difference that rounding to seconds and a slow network explain, in seconds.
    private static let tolerance: TimeInterval = 2

    /// The upper bound of the rounding of a `Date` header, in seconds. Subtracted so that no lifetime gets longer.
    private static let rounding: TimeInterval = 1

    /// The time in seconds by which this machine's clock is ahead.
    private let advance: TimeInterval

    init(serverDate: Date?, at date: Date) {
        let advance = serverDate.map { date.timeIntervalSince($0) } ?? 0
        self.advance = abs(advance) > Self.tolerance ? advance - Self.rounding : 0
    }

    /// Converts a date of the server to this machine's clock.
    func moment(_ date: Date) -> Date { date + advance }
}
