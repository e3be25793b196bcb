/// Work to measure, by SharedAuth or an alternative.
struct Work {
    let name: String
    /// Repeats the work and returns the duration of each repetition, in microseconds.
    let run: (_ count: Int) async throws -> [Double]

    init(_ name: String, run: @escaping (Int) async throws -> [Double]) {
        self.name = name
        self.run = run
    }

    /// Creates work of this process; `body` performs it once.
    init(_ name: String, once body: @escaping () throws -> Void) {
        self.init(name) { count in try (0..<count).map { _ in try Stopwatch.time(body) } }
    }

    /// Creates work so short that reading the clock takes longer: it is timed by the thousand.
    init(_ name: String, byTheThousand body: @escaping () -> Void) {
        self.init(name) { count in
            (0..<count).map { _ in Stopwatch.time { for _ in 0..<1000 { body() } } / 1000 }
        }
    }
}
