import CLibsecret
import Dispatch

/// A connection that does nothing but ask the keyring daemon whether it is there.
@safe final class BareBus {
    private let connection: OpaquePointer

    init(address: String) throws {
        let flags = GDBusConnectionFlags(
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
        )
        guard let connection = unsafe g_dbus_connection_new_for_address_sync(address, flags, nil, nil, nil) else {
            throw Failure("no bus at \(address)")
        }
        unsafe self.connection = connection
    }

    deinit { unsafe g_object_unref(UnsafeMutableRawPointer(connection)) }

    /// How long one call and its answer take, in microseconds.
    func ping() -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        let answer = unsafe g_dbus_connection_call_sync(
            connection,
            "org.freedesktop.secrets",
            "/org/freedesktop/secrets",
            "org.freedesktop.DBus.Peer",
            "Ping",
            nil,
            nil,
            G_DBUS_CALL_FLAGS_NONE,
            5000,
            nil,
            nil
        )
        if let answer = unsafe answer { unsafe g_variant_unref(answer) }
        return Double(DispatchTime.now().uptimeNanoseconds - start) / 1000
    }
}
