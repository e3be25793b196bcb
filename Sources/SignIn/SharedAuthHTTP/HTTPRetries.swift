internal import FoundationEssentials

/// Decides when a failed request is sent again, without side effects.
struct HTTPRetries: Sendable {
    let limit: Int

    /// Returns the pause before the request is sent again, or nil if it is not sent again.
    ///
    /// - Parameters:
    ///   - count: The number of retries so far.
    ///   - remaining: The remaining time of the call.
    ///   - date: The time of day, for a response that names a date.
    ///   - chance: A random number from 0 to 1, so that clients that failed together do not retry together.
    func pause(
        after outcome: Result<HTTPResponse, HTTPError>,
        count: Int,
        remaining: Duration,
        date: Date,
        chance: Double
    ) -> Duration? {
        guard count < limit, Self.mayPass(outcome) else { return nil }
        let backOff = Duration.milliseconds(500) * Double(1 << count) * (0.5 + chance / 2)
        var pause = backOff
        if case .success(let response) = outcome, let wish = response.headers["Retry-After"] {
            pause = max(pause, Self.retryAfter(wish, date) ?? .zero)
        }
        return pause < remaining ? pause : nil
    }

    /// Returns whether the same request may succeed a moment later.
    private static func mayPass(_ outcome: Result<HTTPResponse, HTTPError>) -> Bool {
        switch outcome {
        case .success(let response): [408, 429, 502, 503, 504].contains(response.status)
        case .failure(let error): [.unreachable, .timedOut, .cutOff, .malformedAnswer].contains(error.code)
        }
    }

    /// Parses a `Retry-After` value, in seconds or as a date: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3.
    static func retryAfter(_ value: String, _ now: Date) -> Duration? {
        let text = value.trimmingSpaces
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
            // A number that does not fit is longer than any call.
            return .seconds(min(Int64(text) ?? .max, 1_000_000_000))
        }
        return HTTPDate.parse(text).map { date in .seconds(max(0, date.timeIntervalSince(now))) }
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        let trimmed = drop { $0 == " " || $0 == "\t" }
        return String(trimmed.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
