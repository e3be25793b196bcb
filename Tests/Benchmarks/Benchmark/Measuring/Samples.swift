/// The durations of one kind of work, in microseconds.
struct Samples: Sendable {
    private(set) var values: [Double] = []

    mutating func add(_ more: [Double]) { values += more }

    var median: Double { quantile(0.5) }
    var p99: Double { quantile(0.99) }

    /// Returns the quantile for this fraction.
    private func quantile(_ part: Double) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }
}
