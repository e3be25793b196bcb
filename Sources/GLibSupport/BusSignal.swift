package import CLibsecret

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
    package var sender: String
    package var interface: String
    package var member: String?
    package var path: String?
    package var firstArgument: String?

    package init(
        sender: String,
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

/// The receiver of a connection's events.
package final class ReceiverBox: Sendable {
    package let receive: @Sendable (BusEvent) -> Void

    package init(_ receive: @escaping @Sendable (BusEvent) -> Void) {
        self.receive = receive
    }
}

/// A `GDBusSignalCallback` for a `ReceiverBox`.
package func signalArrived(
    _ connection: OpaquePointer?,
    _ sender: UnsafePointer<CChar>?,
    _ path: UnsafePointer<CChar>?,
    _ interface: UnsafePointer<CChar>?,
    _ member: UnsafePointer<CChar>?,
    _ arguments: OpaquePointer?,
    _ data: gpointer?
) {
    guard let path = unsafe path, let interface = unsafe interface, let member = unsafe member,
        let arguments = unsafe arguments, let data = unsafe data
    else { return }
    let signal = unsafe BusSignal(
        path: String(cString: path),
        interface: String(cString: interface),
        member: String(cString: member),
        arguments: Variant(borrowing: arguments)
    )
    unsafe Unmanaged<ReceiverBox>.fromOpaque(data).takeUnretainedValue().receive(.signal(signal))
}

/// The handler of a connection's `closed` signal, for a `ReceiverBox`.
package func connectionClosed(
    _ connection: gpointer?,
    _ remotePeerVanished: gboolean,
    _ error: UnsafeMutablePointer<GError>?,
    _ data: gpointer?
) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<ReceiverBox>.fromOpaque(data).takeUnretainedValue().receive(.closed)
}

/// The destroy function of a box that a `closed` handler has.
package func releaseClosureBox(_ data: gpointer?, _ closure: UnsafeMutablePointer<GClosure>?) {
    unsafe releaseBox(data)
}
