/// The result of a row.
struct Outcome: Codable {
    /// The result of an alternative, and SharedAuth's ratio to it.
    struct Rival: Codable {
        let who: String
        let median: Double
        let p99: Double
        let ratio: Double
        let aim: Double?
    }

    let row: String
    let who: String
    let unit: String
    let median: Double
    let p99: Double
    let rivals: [Rival]
}
