internal import CGLibSecret
internal import Synchronization

/// Signal handlers on a connection. They are removed when the subscription ends or is deinitialized.
package final class Subscription: Sendable {
    private struct Handlers {
        var signals: [UInt32]
        var closing: UInt
        var rules: [SignalRule]
    }

    private let connection: BusConnection
    private let handlers: Mutex<Handlers?>

    init(_ connection: BusConnection, signals: [UInt32], closing: UInt, rules: [SignalRule]) {
        self.connection = connection
        handlers = Mutex(Handlers(signals: signals, closing: closing, rules: rules))
    }

    deinit {
        end()
    }

    /// Removes the handlers, once. A handler that is running on the GLib thread still finishes.
    package func end() {
        let ended = handlers.withLock { handlers in
            defer { handlers = nil }
            return handlers
        }
        guard let ended else { return }
        unsafe connection.withUnsafePointer { connection in
            for signal in ended.signals {
                unsafe g_dbus_connection_signal_unsubscribe(connection, signal)
            }
            unsafe g_signal_handler_disconnect(UnsafeMutableRawPointer(connection), ended.closing)
        }
        for rule in ended.rules { connection.change(rule, by: "RemoveMatch") }
    }
}

extension BusConnection {
    /// Calls `receive` on the GLib thread for each signal that matches one of `rules`, and once if the connection
    /// closes or is closed already. Returns nil at the deadline.
    ///
    /// No signal caused by a later call is missed, since the bus processes the messages of a connection in order.
    ///
    /// - Parameter refused: Called on the GLib thread, with the name of the bus's error, for each rule that the bus
    ///   refuses; before ``GLibThread/catchUp(by:)`` returns that follows the reply to a later call.
    package func subscribe(
        to rules: [SignalRule],
        by deadline: Deadline,
        refused: @escaping @Sendable (String) -> Void = { _ in },
        _ receive: @escaping @Sendable (BusEvent) -> Void
    ) -> Subscription? {
        // GLib calls back in the context of the thread that subscribes.
        GLibThread.shared.run(by: deadline) { [self] in
            let receiver = ReceiverBox(receive)
            let subscription = Subscription(
                self,
                signals: rules.map { rule in addSignalHandler(rule, receiver) },
                closing: addClosingHandler(receiver),
                rules: rules
            )
            for rule in rules { change(rule, by: "AddMatch", refused) }
            // GDBus may have reported it before the handler was there.
            if isClosed { receiver.receive(.closed) }
            return subscription
        }
    }

    /// Adds a rule to those of the connection on the bus, or removes one. GDBus would do this itself, but would not say
    /// if the bus refuses it.
    fileprivate func change(
        _ rule: SignalRule,
        by method: String,
        _ refused: (@Sendable (String) -> Void)? = nil
    ) {
        let arguments = Variant.tuple(.string(rule.text))
        unsafe withUnsafePointer { connection in
            unsafe arguments.withUnsafePointer { arguments in
                unsafe g_dbus_connection_call(
                    connection,
                    "org.freedesktop.DBus",
                    "/org/freedesktop/DBus",
                    "org.freedesktop.DBus",
                    method,
                    arguments,
                    nil,
                    G_DBUS_CALL_FLAGS_NO_AUTO_START,
                    .max,
                    nil,
                    refused == nil ? nil : ruleAnswered,
                    refused.map { refused in unsafe retainedBox(RefusalBox(refused)) }
                )
            }
        }
    }

    private func addSignalHandler(_ rule: SignalRule, _ receiver: ReceiverBox) -> UInt32 {
        unsafe withUnsafePointer { connection in
            unsafe g_dbus_connection_signal_subscribe(
                connection,
                rule.sender,
                rule.interface,
                rule.member,
                rule.path,
                rule.firstArgument,
                G_DBUS_SIGNAL_FLAGS_NO_MATCH_RULE,
                signalArrived,
                retainedBox(receiver),
                releaseBox
            )
        }
    }

    private func addClosingHandler(_ receiver: ReceiverBox) -> UInt {
        let handler: @convention(c) (gpointer?, gboolean, UnsafeMutablePointer<GError>?, gpointer?) -> Void =
            unsafe connectionClosed
        return unsafe withUnsafePointer { connection in
            unsafe g_signal_connect_data(
                UnsafeMutableRawPointer(connection),
                "closed",
                unsafeBitCast(handler, to: GCallback.self),
                retainedBox(receiver),
                releaseClosureBox,
                GConnectFlags(rawValue: 0)
            )
        }
    }
}

/// The receiver of a connection's events, on the GLib thread. `closed` is the last of them.
private final class ReceiverBox: Sendable {
    private let handler: @Sendable (BusEvent) -> Void
    private let isOver = Atomic(false)

    init(_ handler: @escaping @Sendable (BusEvent) -> Void) {
        self.handler = handler
    }

    func receive(_ event: BusEvent) {
        let isLast = if case .closed = event { true } else { false }
        let wasOver = isLast ? isOver.exchange(true, ordering: .relaxed) : isOver.load(ordering: .relaxed)
        if !wasOver { handler(event) }
    }
}

/// A `GDBusSignalCallback` for a `ReceiverBox`.
private func signalArrived(
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
private func connectionClosed(
    _ connection: gpointer?,
    _ remotePeerVanished: gboolean,
    _ error: UnsafeMutablePointer<GError>?,
    _ data: gpointer?
) {
    guard let data = unsafe data else { return }
    unsafe Unmanaged<ReceiverBox>.fromOpaque(data).takeUnretainedValue().receive(.closed)
}

/// The receiver of the refusal of a rule.
private final class RefusalBox: Sendable {
    let refused: @Sendable (String) -> Void

    init(_ refused: @escaping @Sendable (String) -> Void) {
        self.refused = refused
    }
}

/// A `GAsyncReadyCallback` for a `RefusalBox`. GLib calls it exactly once.
private func ruleAnswered(_ connection: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: gpointer?) {
    guard let data = unsafe data else { return }
    let box = unsafe Unmanaged<RefusalBox>.fromOpaque(data).takeRetainedValue()
    var error: UnsafeMutablePointer<GError>?
    if let answer = unsafe g_dbus_connection_call_finish(OpaquePointer(connection), result, &error) {
        unsafe g_variant_unref(answer)
        return
    }
    // Without the bus's own error, the connection is closed.
    if let name = unsafe GLibFailure(taking: error).remoteName { box.refused(name) }
}
