/// A document that was fetched from a server, and how long it is fresh.
///
/// Times are those of a clock that nobody sets, since some moment.
struct CachedDocument<Content: Sendable>: Sendable {
    /// Between two fetches because of something that the document lacks.
    private static var pause: Duration { .seconds(60) }

    /// The time for which it is used after it was fresh, if it cannot be fetched again: withdrawn keys end then.
    private static var extraTime: Duration { .seconds(86400) }

    private var content: Content?
    private var freshUntil: Duration = .zero
    private var lastMiss: Duration?

    /// The document, if it needs no other fetch yet.
    func fresh(at time: Duration) -> Content? { time < freshUntil ? content : nil }

    /// The document, if it may be used where it cannot be fetched again.
    func lasting(at time: Duration) -> Content? { time < freshUntil + Self.extraTime ? content : nil }

    /// Whether to fetch it because it lacks something, such as the key of a token; once a minute at most, as anyone can make
    /// up the name of a key.
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

/// Reads from a server's answer how long it is good.
enum Freshness {
    /// From five minutes to a day, an hour if the server does not say.
    static func of(cacheControl: String?) -> Duration {
        let directives = (cacheControl ?? "").lowercased().split(separator: ",").map { $0.trimmingPrefix { $0 == " " } }
        if directives.contains(where: { $0.hasPrefix("no-store") || $0.hasPrefix("no-cache") }) { return .seconds(300) }
        let age = directives.first { $0.hasPrefix("max-age=") }.flatMap { Int($0.dropFirst(8)) }
        return .seconds(min(max(age ?? 3600, 300), 86400))
    }
}
