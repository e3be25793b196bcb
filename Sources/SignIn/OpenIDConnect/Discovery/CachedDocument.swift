/// A document from a server, with the time until which it is fresh.
///
/// Times are durations since a fixed moment, by a monotonic clock.
struct CachedDocument<Content: Sendable>: Sendable {
    /// The pause between two fetches that are due to something missing in the document.
    private static var pause: Duration { .seconds(60) }

    /// How much longer a stale document is used if it cannot be fetched again. Withdrawn keys are no longer accepted
    /// after that.
    private static var extraTime: Duration { .seconds(86400) }

    private var content: Content?
    private var freshUntil: Duration = .zero
    private var lastMiss: Duration?

    /// Returns the document while it is fresh.
    func fresh(at time: Duration) -> Content? { time < freshUntil ? content : nil }

    /// Returns the document if it is recent enough to use when it cannot be fetched again.
    func lasting(at time: Duration) -> Content? { time < freshUntil + Self.extraTime ? content : nil }

    /// Returns whether to fetch the document because it lacks something, such as a token's key. At most once a minute,
    /// since anyone can invent a key ID.
    mutating func takeMiss(at time: Duration) -> Bool {
        if let lastMiss, time - lastMiss < Self.pause { return false }
        lastMiss = time
        return true
    }

    mutating func keep(_ content: Content, for freshness: Duration, at time: Duration) {
        self.content = content
        freshUntil = time + freshness
    }
}

/// Computes how long a server's response is fresh.
enum Freshness {
    /// Returns the freshness: five minutes to a day, or an hour if the server does not say.
    static func of(cacheControl: String?) -> Duration {
        let directives = (cacheControl ?? "").lowercased().split(separator: ",").map { $0.trimmingPrefix { $0 == " " } }
        if directives.contains(where: { $0.hasPrefix("no-store") || $0.hasPrefix("no-cache") }) { return .seconds(300) }
        let age = directives.first { $0.hasPrefix("max-age=") }.flatMap { Int($0.dropFirst(8)) }
        return .seconds(min(max(age ?? 3600, 300), 86400))
    }
}
