import ArgumentParser
import Foundation
import TestSupport

/// Measures, prints a table, and optionally writes it as JSON.
struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures every row and its rivals.")

    @OptionGroup var programs: Programs

    @Option(help: "The number of turns in each row.")
    var rounds = 25

    @Option(help: "The time that idle processes are watched, in seconds.")
    var idleSeconds: UInt32 = 60

    @Option(help: "Measure only the rows whose names contain this text.")
    var only: String?

    @Flag(help: "Measure how the figures grow with items, groups and listening processes, too.")
    var growth = false

    @Option(help: "The file for the results as JSON.")
    var json: String?

    func run() async throws {
        let bench = try await BenchmarkFixture(programs: programs)
        defer { bench.keyring.shutdown() }
        var report = Report()

        Table.heading()
        for row in try await Rows.all(on: bench) where only.map(row.name.contains) ?? true {
            let outcome = try await row.measure(rounds: rounds)
            Table.print(outcome)
            report.rows.append(outcome)
        }
        if only != nil { return }
        let announcement = try await Announcing(bench).measure(samples: rounds * 20)
        Table.print(announcement)
        report.rows.append(announcement)
        for outcome in try Idling(bench).measure(seconds: idleSeconds) {
            Table.print(outcome)
            report.rows.append(outcome)
        }
        report.roundTrips = try await RoundTrips.count(on: bench)
        RoundTrips.print(report.roundTrips)
        if growth {
            report.growth = try await Growth(programs: programs, rounds: max(2, rounds / 5)).measure()
        }
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(report).write(to: URL(fileURLWithPath: json))
        }
    }
}
