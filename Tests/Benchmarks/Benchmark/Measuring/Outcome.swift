/// What a row came to.
struct Outcome: Codable {
    /// What a rival needed, and our part of that.
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
