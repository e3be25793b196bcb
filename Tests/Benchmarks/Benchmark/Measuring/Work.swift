/// One thing to measure, by whomever it is done.
struct Work {
    let name: String
    /// Does it so many times, and says how long each took, in microseconds.
    let run: (_ count: Int) async throws -> [Double]

    init(_ name: String, run: @escaping (Int) async throws -> [Double]) {
        self.name = name
        self.run = run
    }

    /// Work of this process; `body` does it once.
    init(_ name: String, once body: @escaping () throws -> Void) {
        self.init(name) { count in try (0..<count).map { _ in try Stopwatch.time(body) } }
    }

    /// Work so short that one reading of the clock costs more than it: timed by the thousand.
    init(_ name: String, byTheThousand body: @escaping () -> Void) {
        self.init(name) { count in
            (0..<count).map { _ in Stopwatch.time { for _ in 0..<1000 { body() } } / 1000 }
        }
    }
}
