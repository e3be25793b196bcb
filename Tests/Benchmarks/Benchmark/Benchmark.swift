import ArgumentParser
import Foundation
import TestSupport

/// Measures SharedAuth and its alternatives in turns, on one private bus and keyring.
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
