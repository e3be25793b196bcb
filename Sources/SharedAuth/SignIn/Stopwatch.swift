extension ContinuousClock {
    /// Measures the time since this call; no user sets this clock, and it counts while the machine is asleep.
    package static func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { now - start }
    }
}
