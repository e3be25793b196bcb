/// A signal that came over the bus.
package struct BusSignal: Sendable {
    package let path: String
    package let interface: String
    package let member: String
    package let arguments: Variant
}

/// An event that a subscriber to a connection receives.
package enum BusEvent: Sendable {
    case signal(BusSignal)
    /// The connection is closed, and this was the last event.
    case closed
}

/// Which signals to receive; nil stands for any.
package struct SignalRule: Sendable {
    package var sender: String?
    package var interface: String
    package var member: String?
    package var path: String?
    package var firstArgument: String?

    package init(
        sender: String?,
        interface: String,
        member: String? = nil,
        path: String? = nil,
        firstArgument: String? = nil
    ) {
        self.sender = sender
        self.interface = interface
        self.member = member
        self.path = path
        self.firstArgument = firstArgument
    }
}

extension SignalRule {
    /// Changes of the owner of a bus name.
    package static func owner(of name: String) -> SignalRule {
        SignalRule(
            sender: "org.freedesktop.DBus",
            interface: "org.freedesktop.DBus",
            member: "NameOwnerChanged",
            path: "/org/freedesktop/DBus",
            firstArgument: name
        )
    }
}
