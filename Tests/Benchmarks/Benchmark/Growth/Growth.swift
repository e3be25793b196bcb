import Foundation
import SecretService
import SharedAuth
import TestSupport

/// Measures how reading and saving grow with items, groups and listeners.
struct Growth {
    /// One line of a plot.
    struct Curve: Codable {
        struct Point: Codable {
            let count: Int
            let median: Double
        }

        /// The quantity that grows.
        let of: String
        let who: String
        var points: [Point] = []
    }

    let programs: Programs
    let rounds: Int

    func measure() async throws -> [Curve] {
        try await byItems() + byGroups() + byListeners()
    }

    /// Measures with other items in the user's keyring.
    private func byItems() async throws -> [Curve] {
        var curves: [Curve] = []
        for count in [10, 100, 1000] {
            let bench = try await BenchmarkFixture(programs: programs)
            defer { bench.keyring.shutdown() }
            let collection = try bench.service.defaultCollection()
            for number in 0..<count {
                _ = try collection.createItem(
                    label: "another \(number)",
                    attributes: ["application": "another", "number": "\(number)"],
                    secret: Secret("a secret of another program"),
                    replacing: false
                )
            }
            let what = "other items in the keyring"
            try await measure(bench, what, count, withRivals: true, into: &curves)
            let small = bench.service.collection(at: try bench.bare.createCollection("small"))
            curves.add(what, "bare write", count, try write(to: collection, bench).median)
            curves.add(what, "bare write to a second keyring", count, try write(to: small, bench).median)
        }
        return curves
    }

    /// Measures the daemon's time to write a record of SharedAuth's size to a collection.
    private func write(to collection: SecretCollection, _ bench: BenchmarkFixture) throws -> Samples {
        let secret = Secret(String(repeating: "x", count: bench.size))
        var samples = Samples()
        for _ in 0..<(rounds * 10) {
            let time = try Stopwatch.time {
                _ = try collection.createItem(label: "bench", attributes: ["application": "bench"], secret: secret)
            }
            samples.add([time])
        }
        return samples
    }

    /// Measures with more groups, each with a user.
    private func byGroups() async throws -> [Curve] {
        var curves: [Curve] = []
        for count in [1, 8, 64] {
            let others = (0..<count).map { "group.example.number\($0)" }
            let bench = try await BenchmarkFixture(
                programs: programs,
                groups: Array((BenchmarkFixture.groups + others).prefix(count))
            )
            defer { bench.keyring.shutdown() }
            try await measure(bench, "access groups", count, withRivals: false, into: &curves)
        }
        return curves
    }

    /// Measures with processes that observe the group that is written to.
    private func byListeners() async throws -> [Curve] {
        var curves: [Curve] = []
        for count in [1, 10, 100] {
            let bench = try await BenchmarkFixture(programs: programs)
            defer { bench.keyring.shutdown() }
            let pipe = Pipe()
            let lines = LineReader(pipe.fileHandleForReading)
            for number in 0..<count {
                _ = try bench.keyring.start(
                    programs.app,
                    [
                        "listen", "com.example.Listener", "\(bench.keyring.directory)/listener\(number)",
                        BenchmarkFixture.groups[0],
                    ],
                    output: pipe.fileHandleForWriting.fileDescriptor
                )
                _ = lines.next()
            }
            let users = try BenchmarkFixture.groups.compactMap { try bench.auth.getStoredUser(forAccessGroup: $0) }
            var (saved, heard) = (Samples(), Samples())
            for turn in 0..<(rounds * 4) {
                let start = Stopwatch.now
                try await bench.auth.updateCurrentUser(users[turn % 2 == 0 ? 1 : 0])
                saved.add([Double(Stopwatch.now - start) / 1000])
                for _ in 0..<count { _ = lines.next() }
                heard.add([Double(Stopwatch.now - start) / 1000])
            }
            let what = "listening processes"
            curves.add(what, "updateCurrentUser", count, saved.median)
            curves.add(what, "until the last listener is notified", count, heard.median)
        }
        return curves
    }

    private func measure(
        _ bench: BenchmarkFixture,
        _ what: String,
        _ count: Int,
        withRivals: Bool,
        into curves: inout [Curve]
    ) async throws {
        let warm = try await Warm(bench, withPython: false)
        for row in [warm.read, warm.save] {
            let outcome = try await row.measure(rounds: rounds)
            curves.add(what, outcome.who, count, outcome.median)
            guard withRivals else { continue }
            for rival in outcome.rivals { curves.add(what, rival.who, count, rival.median) }
        }
    }
}

extension [Growth.Curve] {
    fileprivate mutating func add(_ what: String, _ who: String, _ count: Int, _ median: Double) {
        print("\(what), \(count): \(who) \(Int(median)) µs")
        let index =
            firstIndex { $0.of == what && $0.who == who }
            ?? {
                append(Growth.Curve(of: what, who: who))
                return endIndex - 1
            }()
        self[index].points.append(.init(count: count, median: median))
    }
}
