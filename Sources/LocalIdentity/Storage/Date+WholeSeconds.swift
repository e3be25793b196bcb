internal import FoundationEssentials

extension Date {
    /// Whole seconds since 1970, as tokens and records have them.
    var wholeSeconds: Int { Int(exactly: timeIntervalSince1970.rounded(.down)) ?? 0 }
}
