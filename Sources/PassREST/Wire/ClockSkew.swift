internal import FoundationEssentials

/// The difference between the server's clock and this machine's, by the date of an answer.
///
/// A moment that the server names is moved by it, so that a life has the length that the server means. An answer without a
/// date, or with one that rounding explains, moves nothing.
struct ClockSkew: Sendable {
    /// The difference that rounding to seconds and a slow network explain.
    private static let tolerance: TimeInterval = 2

    /// A date in an answer is rounded down by less than this; no life is taken for longer than it is.
    private static let rounding: TimeInterval = 1

    /// By how much this machine's clock is ahead.
    private let advance: TimeInterval

    init(serverDate: Date?, at date: Date) {
        let advance = serverDate.map { date.timeIntervalSince($0) } ?? 0
        self.advance = abs(advance) > Self.tolerance ? advance - Self.rounding : 0
    }

    /// A moment of the server's, by this machine's clock.
    func moment(_ date: Date) -> Date { date + advance }
}
