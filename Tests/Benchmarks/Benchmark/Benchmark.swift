import ArgumentParser
import Foundation
import TestSupport

/// Measures SharedAuth and what an app could use instead, on one private bus and keyring, everybody in turns.
///
/// `Tests/Benchmarks/run` builds everything that it needs, and starts it.
@main
struct Benchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(subcommands: [Compare.self])
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
