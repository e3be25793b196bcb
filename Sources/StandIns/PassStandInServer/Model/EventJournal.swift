internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// An event at a ``StandIn``. Contains no token, code, password or user id.
package struct StandInEvent: Sendable {
    let number: Int
    let name: String
    let facts: [String: String]

    var json: JSONValue {
        var members = facts.mapValues(JSONValue.string)
        members["number"] = .number(Double(number))
        members["event"] = .string(name)
        return .object(members)
    }

    /// The event as a line of JSON.
    package var line: String { json.text }
}

/// The latest events, for tests.
struct EventJournal: Sendable {
    private static let limit = 10_000
    private var events: [StandInEvent] = []
    /// The number of the latest event.
    private(set) var last = 0

    mutating func note(_ name: String, _ facts: [String: String?] = [:]) {
        last += 1
        events.append(StandInEvent(number: last, name: name, facts: facts.compactMapValues(\.self)))
        if events.count > Self.limit { events.removeFirst(events.count - Self.limit) }
    }

    /// Returns the events after an event's number.
    func events(after number: Int) -> [StandInEvent] { Array(events.suffix(max(0, last - max(0, number)))) }
}
