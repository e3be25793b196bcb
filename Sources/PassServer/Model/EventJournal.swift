internal import FoundationEssentials
internal import SharedAuth

/// What has happened, for tests to look at. No token, code, password or id of a person is in it.
struct EventJournal: Sendable {
    /// One thing that happened.
    struct Event: Sendable {
        let number: Int
        let name: String
        let facts: [String: String]

        var json: JSONValue {
            var members = facts.mapValues(JSONValue.string)
            members["number"] = .number(Double(number))
            members["event"] = .string(name)
            return .object(members)
        }
    }

    private static let limit = 10_000
    private var events: [Event] = []
    /// The number of the latest.
    private(set) var last = 0

    mutating func note(_ name: String, _ facts: [String: String?] = [:]) {
        last += 1
        events.append(Event(number: last, name: name, facts: facts.compactMapValues(\.self)))
        if events.count > Self.limit { events.removeFirst(events.count - Self.limit) }
    }

    /// Those after a number.
    func events(after number: Int) -> [Event] { Array(events.suffix(max(0, last - max(0, number)))) }
}
