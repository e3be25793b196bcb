/// A signal that came over the bus.
struct BusSignal: Sendable {
    let path: String
    let interface: String
    let member: String
    let arguments: Variant
}

/// What a subscriber to a connection is told.
enum BusEvent: Sendable {
    case signal(BusSignal)
    /// The connection is closed, and this was the last event.
    case closed
}

/// Which signals to be told of; nil stands for any.
struct SignalRule: Sendable {
    var sender: String
    var interface: String
    var member: String?
    var path: String?
    var firstArgument: String?
}

extension SignalRule {
    /// Changes of the owner of a bus name.
    static func owner(of name: String) -> SignalRule {
        SignalRule(
            sender: "org.freedesktop.DBus",
            interface: "org.freedesktop.DBus",
            member: "NameOwnerChanged",
            path: "/org/freedesktop/DBus",
            firstArgument: name
        )
    }
}
