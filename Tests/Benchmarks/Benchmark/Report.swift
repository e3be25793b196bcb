/// Everything that was measured, as JSON has it.
struct Report: Codable {
    var rows: [Outcome] = []
    var roundTrips: [RoundTrips.Count] = []
    var growth: [Growth.Curve] = []
}
