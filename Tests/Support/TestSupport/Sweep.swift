internal import FoundationEssentials

/// The part of a sweep that a test makes, by the variable `SHAREDAUTH_SWEEP`.
///
/// Without it, a test visits every third point, from a random one on. With `points`, as in `Tests/run`, it visits each
/// point; with `all`, it tries each fault at each point.
package enum Sweep {
    private static let extent = ProcessInfo.processInfo.environment["SHAREDAUTH_SWEEP"]

    /// Indicates whether each fault is tried at each point; otherwise each point gets some of the faults, in turn.
    package static let hasAllFaults = extent == "all"

    /// Indicates whether all points are visited.
    package static let hasAllPoints = hasAllFaults || extent == "points"

    /// The distance from one visited point to the next.
    package static let step = hasAllPoints ? 1 : 3

    /// The number of the first visited point, counted from 1.
    package static var first: Int { .random(in: 1...step) }

    /// Returns the visited points.
    package static func points<Point>(of all: [Point]) -> [Point] {
        all.count < step ? all : stride(from: first - 1, to: all.count, by: step).map { all[$0] }
    }
}
