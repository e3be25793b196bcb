internal import ArgumentParser
internal import PassAuth

/// The layouts of token stores, by their names on the command line.
enum Layout: String, CaseIterable, ExpressibleByArgument {
    case singleSlot = "single-slot"
    case perProgrammer = "per-programmer"
    case buckets = "buckets"
    case separateBuckets = "separate-buckets"
    case privateBuckets = "private-buckets"

    var generation: StorageGeneration {
        switch self {
        case .singleSlot: .singleSlot
        case .perProgrammer: .perProgrammer
        case .buckets: .buckets
        case .separateBuckets: .separateBuckets
        case .privateBuckets: .privateBuckets
        }
    }
}
