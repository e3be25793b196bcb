import ArgumentParser
import Foundation
import TestSupport

/// Measures, prints a table, and writes it as JSON if asked to.
struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures every row and its rivals.")

    @OptionGroup var programs: Programs

    @Option(help: "How many turns everybody has in each row.")
    var rounds = 25

    @Option(help: "How long idle processes are watched, in seconds.")
    var idleSeconds: UInt32 = 60

    @Option(help: "Measure only the rows of the table with this in their names.")
    var only: String?

    @Flag(help: "Measure how the figures grow with items, groups and listening processes, too.")
    var growth = false

    @Option(help: "Where to write the outcome as JSON.")
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
