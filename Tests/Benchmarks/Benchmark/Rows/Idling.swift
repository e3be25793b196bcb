import Foundation
import Glibc
import TestSupport

/// Measures the cost of a process that watches while nothing happens.
struct Idling {
    private let bench: BenchmarkFixture

    init(_ bench: BenchmarkFixture) { self.bench = bench }

    func measure(seconds: UInt32) throws -> [Outcome] {
        let ours = try start(
            bench.programs.staticApp,
            ["watch", "com.example.Idle", "\(bench.keyring.directory)/idle"]
        )
        let theirs = try start(bench.programs.libsecret, ["watch"])
        defer { ours.end() }
        defer { theirs.end() }
        // Threads that only the start needed take some seconds to end.
        sleep(min(10, seconds))
        let before = try (ProcessUsage(of: ours.processID), ProcessUsage(of: theirs.processID))
        sleep(seconds)
        let after = try (ProcessUsage(of: ours.processID), ProcessUsage(of: theirs.processID))
        func outcome(_ row: String, _ unit: String, aim: Double?, _ value: (ProcessUsage) -> Double) -> Outcome {
            let (mine, yours) = (value(after.0), value(after.1))
            return compare(row, unit, mine, yours, aim: aim)
        }
        func spent(_ row: String, _ unit: String, _ value: (ProcessUsage) -> Double) -> Outcome {
            compare(row, unit, value(after.0) - value(before.0), value(after.1) - value(before.1), aim: nil)
        }
        return [
            outcome("memory of an idle watcher", "KiB", aim: 1.5) { Double($0.memory) },
            outcome("of that, not backed by a file", "KiB", aim: nil) { Double($0.ownMemory) },
            spent("processor time in \(seconds) s", "s", \.processorTime),
            spent("wake-ups in \(seconds) s", "", { Double($0.wakeUps) }),
        ]
    }

    /// Starts a watcher, and returns when it has printed its first line.
    private func start(_ executable: String, _ arguments: [String]) throws -> ChildProcess {
        let pipe = Pipe()
        let child = try bench.keyring.start(
            executable,
            arguments,
            output: pipe.fileHandleForWriting.fileDescriptor
        )
        guard LineReader(pipe.fileHandleForReading).next() != nil else { throw Failure("\(executable) did not start") }
        return child
    }

    private func compare(_ row: String, _ unit: String, _ mine: Double, _ yours: Double, aim: Double?) -> Outcome {
        Outcome(
            row: row,
            who: "the smallest app",
            unit: unit,
            median: mine,
            p99: mine,
            rivals: [
                .init(who: "libsecret in C", median: yours, p99: yours, ratio: yours == 0 ? 1 : mine / yours, aim: aim)
            ]
        )
    }
}
