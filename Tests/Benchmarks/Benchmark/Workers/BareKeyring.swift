import CGLibSecret

/// Bare D-Bus calls to the keyring daemon: the cost of the bus and the daemon alone.
@safe final class BareKeyring {
    private static let service = "org.freedesktop.secrets"
    private static let root = "/org/freedesktop/secrets"

    private let connection: OpaquePointer
    private var session = ""

    init(address: String) throws {
        let flags = GDBusConnectionFlags(
            G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
                | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
        )
        guard let connection = unsafe g_dbus_connection_new_for_address_sync(address, flags, nil, nil, nil) else {
            throw Failure("no bus at \(address)")
        }
        unsafe self.connection = connection
        let empty = unsafe g_variant_new_variant(g_variant_new_string(""))
        let reply = unsafe try call(
            Self.root,
            "org.freedesktop.Secret.Service",
            "OpenSession",
            unsafe Self.tuple([unsafe g_variant_new_string("plain"), empty])
        )
        defer { unsafe g_variant_unref(reply) }
        let path = unsafe g_variant_get_child_value(reply, 1)
        defer { unsafe g_variant_unref(path) }
        session = unsafe String(cString: g_variant_get_string(path, nil))
    }

    deinit { unsafe g_object_unref(UnsafeMutableRawPointer(connection)) }

    /// Pings the daemon.
    func ping() throws {
        unsafe g_variant_unref(try unsafe call(Self.root, "org.freedesktop.DBus.Peer", "Ping", nil))
    }

    /// Requests the id of the bus itself.
    func askBus() throws {
        let reply = unsafe try call(
            "/org/freedesktop/DBus",
            "org.freedesktop.DBus",
            "GetId",
            nil,
            to: "org.freedesktop.DBus"
        )
        unsafe g_variant_unref(reply)
    }

    /// Fetches the secret of the item at this path.
    func getSecret(_ item: String) throws {
        let arguments = unsafe Self.tuple([g_variant_new_object_path(session)])
        unsafe g_variant_unref(try unsafe call(item, "org.freedesktop.Secret.Item", "GetSecret", arguments))
    }

    /// Makes GNOME Keyring create another collection without a prompt, and returns its path.
    func createCollection(_ label: String) throws -> String {
        let name = unsafe g_variant_new_dict_entry(
            g_variant_new_string("org.freedesktop.Secret.Collection.Label"),
            g_variant_new_variant(g_variant_new_string(label))
        )
        var properties = unsafe [name]
        let password = unsafe Self.tuple([
            g_variant_new_object_path(session),
            Self.bytes(""),
            Self.bytes("password"),
            g_variant_new_string("text/plain"),
        ])
        let reply = unsafe try call(
            Self.root,
            "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface",
            "CreateWithMasterPassword",
            Self.tuple([g_variant_new_array(nil, &properties, 1), password])
        )
        defer { unsafe g_variant_unref(reply) }
        let path = unsafe g_variant_get_child_value(reply, 0)
        defer { unsafe g_variant_unref(path) }
        return unsafe String(cString: g_variant_get_string(path, nil))
    }

    private static func bytes(_ text: String) -> OpaquePointer? {
        let bytes = Array(text.utf8)
        return unsafe "y".withCString { type in
            unsafe g_variant_new_fixed_array(OpaquePointer(type), bytes, gsize(bytes.count), 1)
        }
    }

    private static func tuple(_ children: [OpaquePointer?]) -> OpaquePointer? {
        var children = unsafe children
        let count = unsafe children.count
        return unsafe children.withUnsafeMutableBufferPointer {
            unsafe g_variant_new_tuple($0.baseAddress, gsize(count))
        }
    }

    private func call(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: OpaquePointer?,
        to name: String = service
    ) throws -> OpaquePointer {
        let reply = unsafe g_dbus_connection_call_sync(
            connection,
            name,
            path,
            interface,
            member,
            arguments,
            nil,
            G_DBUS_CALL_FLAGS_NONE,
            5000,
            nil,
            nil
        )
        guard let reply = unsafe reply else { throw Failure("\(member) failed") }
        return unsafe reply
    }
}
