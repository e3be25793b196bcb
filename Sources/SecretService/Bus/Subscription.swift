internal import CLibsecret
internal import GLibSupport
internal import Synchronization

/// Handlers on a connection; they are removed when this ends or its last reference goes.
final class Subscription: Sendable {
    private struct Handlers {
        var signals: [UInt32]
        var closing: UInt
    }

    private let connection: BusConnection
    private let handlers: Mutex<Handlers?>

    init(_ connection: BusConnection, signals: [UInt32], closing: UInt) {
        self.connection = connection
        handlers = Mutex(Handlers(signals: signals, closing: closing))
    }

    deinit {
        end()
    }

    /// Removes the handlers, once; one that runs at this moment on the GLib thread still finishes.
    func end() {
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
    }
}

extension BusConnection {
    /// Calls `receive` on the GLib thread for each signal that one of `rules` names, and once if the connection closes.
    ///
    /// No signal that a later call causes is missed, since the bus takes the messages of a connection in order.
    func subscribe(
        to rules: [SignalRule],
        by deadline: Deadline,
        _ receive: @escaping @Sendable (BusEvent) -> Void
    ) throws(SecretServiceError) -> Subscription {
        // GLib calls back in the context of the thread that subscribes.
        let subscription = GLibThread.shared.run(by: deadline) { [self] in
            Subscription(
                self,
                signals: rules.map { rule in addSignalHandler(rule, receive) },
                closing: addClosingHandler(receive)
            )
        }
        guard let subscription else { throw .timedOut(doing: "subscribing to signals") }
        return subscription
    }

    private func addSignalHandler(_ rule: SignalRule, _ receive: @escaping @Sendable (BusEvent) -> Void) -> UInt32 {
        unsafe withUnsafePointer { connection in
            unsafe g_dbus_connection_signal_subscribe(
                connection,
                rule.sender,
                rule.interface,
                rule.member,
                rule.path,
                rule.firstArgument,
                G_DBUS_SIGNAL_FLAGS_NONE,
                signalArrived,
                retainedBox(ReceiverBox(receive)),
                releaseBox
            )
        }
    }

    private func addClosingHandler(_ receive: @escaping @Sendable (BusEvent) -> Void) -> UInt {
        let handler: @convention(c) (gpointer?, gboolean, UnsafeMutablePointer<GError>?, gpointer?) -> Void =
            unsafe connectionClosed
        return unsafe withUnsafePointer { connection in
            unsafe g_signal_connect_data(
                UnsafeMutableRawPointer(connection),
                "closed",
                unsafeBitCast(handler, to: GCallback.self),
                retainedBox(ReceiverBox(receive)),
                releaseClosureBox,
                GConnectFlags(rawValue: 0)
            )
        }
    }
}
