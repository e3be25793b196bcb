/// A signal received over the bus.
package struct BusSignal: Sendable {
    package let path: String
    package let interface: String
    package let member: String
    package let arguments: Variant
}

/// An event that a subscriber to a connection receives.
package enum BusEvent: Sendable {
    case signal(BusSignal)
    /// The connection is closed. This is the last event.
    case closed
}

/// A rule that selects signals; nil matches any value.
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
    /// Returns a rule for changes of the owner of a bus name.
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

extension SignalRule {
    /// The rule as the bus takes it: https://dbus.freedesktop.org/doc/dbus-specification.html#message-bus-routing-match-rules
    var text: String {
        let parts = [
            ("type", "signal"), ("sender", sender), ("interface", interface), ("member", member), ("path", path),
            ("arg0", firstArgument),
        ]
        return parts.compactMap { name, value in value.map { "\(name)='\($0)'" } }.joined(separator: ",")
    }
}
