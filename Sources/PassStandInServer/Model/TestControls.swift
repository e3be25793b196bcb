internal import FoundationEssentials

/// Behaviour that tests change: the clock, lifetimes, latencies and faults.
struct TestControls: Sendable {
    /// Lives, in seconds.
    struct Lifetimes: Sendable {
        var accessToken = 21_600.0
        var profile = 2_592_000.0
        var authorization = 86_400.0
        var mediaToken = 300.0
        var temporaryPass = 600.0
    }

    /// A kind of spoilt answer.
    enum Fault: String, Sendable, CaseIterable {
        /// Something that is no answer, with a status of success.
        case garbage
        /// A status 503.
        case failure
        /// Too many calls: a status 429, in HTML.
        case throttling
        /// Too many calls, and a pause of a day: a status 429.
        case longThrottling = "long-throttling"
        /// A status 410 without a body, as of a gateway.
        case gone
        /// A status 412 without a body.
        case precondition
        /// The connection ends in the middle of the answer.
        case cutOff = "cut-off"
        /// No answer ever comes.
        case silence
    }

    /// The time by which the clock is ahead, in seconds.
    var clockOffset = 0.0
    var lifetimes = Lifetimes()
    /// The number of channels in the metadata of a person.
    var channelCount = 0
    /// The delays of answers, in seconds, by the endpoint's name.
    var latencies: [String: Double] = [:]
    /// The faults of the next answers, and their number, by the endpoint's name.
    var faults: [String: (fault: Fault, count: Int)] = [:]

    /// The fault that the next answer of an endpoint has; it is used up.
    mutating func takeFault(of endpoint: String) -> Fault? {
        guard let (fault, count) = faults[endpoint] else { return nil }
        faults[endpoint] = count > 1 ? (fault, count - 1) : nil
        return fault
    }
}

/// Keeps devices from calling too often: so many at once, and so many a second.
package struct Throttle: Sendable {
    var rate = 1.0
    var burst = 10.0
    private var levels: [String: (level: Double, date: Date)] = [:]

    package init(rate: Double = 1, burst: Double = 10) { (self.rate, self.burst) = (rate, burst) }

    /// Whether a device may call now; one that may, has.
    mutating func admit(_ device: String, now: Date) -> Bool {
        let (level, date) = levels[device] ?? (burst, now)
        let present = min(burst, level + max(0, now.timeIntervalSince(date)) * rate)
        levels[device] = (present >= 1 ? present - 1 : present, now)
        return present >= 1
    }
}
