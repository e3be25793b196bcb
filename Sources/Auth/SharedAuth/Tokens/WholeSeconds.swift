package import FoundationEssentials

extension Date {
    /// Whole seconds since 1970, as tokens express dates; 0 for a date that is too far away.
    package var wholeSeconds: Int { Int(exactly: timeIntervalSince1970.rounded(.down)) ?? 0 }
}
