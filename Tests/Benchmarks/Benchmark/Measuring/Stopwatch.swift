import Dispatch

/// The clock that all processes of a machine share, in nanoseconds.
enum Stopwatch {
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Returns the duration of `work`, in microseconds.
    static func time(_ work: () throws -> Void) rethrows -> Double {
        let start = now
        try work()
        return Double(now - start) / 1000
    }
}
