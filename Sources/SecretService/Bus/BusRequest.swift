internal import GLibSupport

/// One method call, as data.
struct BusRequest: Sendable {
    /// What the called object is, and thus what its absence means.
    enum Subject: Sendable {
        case bus, service, collection, item, prompt
    }

    var destination: String
    var path: String
    var interface: String
    var member: String
    var arguments: Variant?
    /// The D-Bus signature that the answer must have.
    var answer: String
    var subject: Subject
    /// Whether carrying it out changes something, so that a lost answer leaves the outcome unknown.
    var mutates = false
    /// Whether the connection has to stay until the answer is there; see ``UncutAnswer``.
    var mustNotBeCut = false
}

extension BusRequest {
    /// The name of the message bus itself.
    static let busName = "org.freedesktop.DBus"

    /// Whether it asks the bus for a name to own.
    var asksForName: Bool { subject == .bus && member == "RequestName" }

    /// A call to the message bus itself.
    static func bus(_ member: String, _ arguments: Variant?, answer: String) -> BusRequest {
        BusRequest(
            destination: busName,
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            member: member,
            arguments: arguments,
            answer: answer,
            subject: .bus
        )
    }
}
