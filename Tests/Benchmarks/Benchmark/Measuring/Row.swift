/// One row of the table: work of SharedAuth, next to that of its alternatives.
struct Row {
    /// The work of an alternative, and the part of its time that SharedAuth may take.
    struct Rival {
        let work: Work
        /// The ratio of medians to stay under; nil if there is no aim.
        let aim: Double?

        init(_ work: Work, aim: Double? = nil) {
            self.work = work
            self.aim = aim
        }
    }

    let name: String
    let ours: Work
    /// The number of repetitions in one turn.
    let batch: Int
    let rivals: [Rival]

    init(_ name: String, _ ours: Work, batch: Int = 20, against rivals: [Rival]) {
        self.name = name
        self.ours = ours
        self.batch = batch
        self.rivals = rivals
    }

    /// Runs all works in turns in each round, after one to warm up, so that a disturbance of the machine affects all of
    /// them.
    func measure(rounds: Int) async throws -> Outcome {
        let works = [ours] + rivals.map(\.work)
        var samples = works.map { _ in Samples() }
        for round in 0...rounds {
            for (index, work) in works.enumerated() {
                let values = try await work.run(round == 0 ? min(batch, 5) : batch)
                if round > 0 { samples[index].add(values) }
            }
        }
        let mine = samples[0]
        return Outcome(
            row: name,
            who: ours.name,
            unit: "µs",
            median: mine.median,
            p99: mine.p99,
            rivals: zip(rivals, samples.dropFirst()).map { rival, samples in
                Outcome.Rival(
                    who: rival.work.name,
                    median: samples.median,
                    p99: samples.p99,
                    ratio: mine.median / samples.median,
                    aim: rival.aim
                )
            }
        )
    }
}
