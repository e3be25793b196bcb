/// All measurements, as written to JSON.
struct Report: Codable {
    var rows: [Outcome] = []
    var roundTrips: [RoundTrips.Count] = []
    var growth: [Growth.Curve] = []
}
