internal import FoundationEssentials

/// Behaviour that tests change: the clock, lifetimes, latencies and faults.
struct TestControls: Sendable {
    /// The lifetimes of tokens and profiles, in seconds.
    struct Lifetimes: Sendable {
        var accessToken = 21_600.0
        var profile = 2_592_000.0
        var authorization = 86_400.0
        var mediaToken = 300.0
        var temporaryPass = 600.0
    }

    /// A fault in a response.
    enum Fault: String, Sendable, CaseIterable {
        /// A body that is not JSON, with a success status.
        case garbage
        /// Status 503.
        case failure
        /// Too many calls: status 429, in HTML.
        case throttling
        /// Too many calls, with a pause of one day: status 429.
        case longThrottling = "long-throttling"
        /// Status 410 without a body, as from a gateway.
        case gone
        /// Status 412 without a body.
        case precondition
        /// The connection closes in the middle of the response.
        case cutOff = "cut-off"
        /// No response is sent.
        case silence
    }

    /// The time by which the clock is ahead, in seconds.
    var clockOffset = 0.0
    var lifetimes = Lifetimes()
    /// The number of channels in the user metadata.
    var channelCount = 0
    /// The delays of responses, in seconds, by the endpoint's name.
    var latencies: [String: Double] = [:]
    /// The faults of the next responses, and their number, by the endpoint's name.
    var faults: [String: (fault: Fault, count: Int)] = [:]

    /// Removes and returns the fault of an endpoint's next response.
    mutating func takeFault(of endpoint: String) -> Fault? {
        guard let (fault, count) = faults[endpoint] else { return nil }
        faults[endpoint] = count > 1 ? (fault, count - 1) : nil
        return fault
    }
}

/// A limit of each device's calls: a rate per second, with bursts.
package struct Throttle: Sendable {
    var rate = 1.0
    var burst = 10.0
    private var levels: [String: (level: Double, date: Date)] = [:]

    package init(rate: Double = 1, burst: Double = 10) { (self.rate, self.burst) = (rate, burst) }

    /// Returns true if a device may call now, and counts the call.
    mutating func admit(_ device: String, now: Date) -> Bool {
        let (level, date) = levels[device] ?? (burst, now)
        let present = min(burst, level + max(0, now.timeIntervalSince(date)) * rate)
        levels[device] = (present >= 1 ? present - 1 : present, now)
        return present >= 1
    }
}
