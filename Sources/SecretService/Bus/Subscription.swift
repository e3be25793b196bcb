internal import CLibsecret
internal import Synchronization

/// Handlers on a connection; they are removed when it ends or goes.
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
