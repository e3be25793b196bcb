internal import CLibsecret

/// Makes the object without connecting; the caller owns it.
func makeConnection(_ address: String) -> OpaquePointer {
    let flags =
        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
        | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
    var values = [GValue(), GValue()]
    return unsafe values.withUnsafeMutableBufferPointer { values in
        let first = values.baseAddress
        let second = unsafe first?.advanced(by: 1)
        unsafe g_value_init(first, g_type_from_name("gchararray"))
        unsafe g_value_set_string(first, address)
        unsafe g_value_init(second, g_dbus_connection_flags_get_type())
        unsafe g_value_set_flags(second, flags)
        defer { unsafe g_value_unset(first) }
        return unsafe "address".withCString { addressName in
            unsafe "flags".withCString { flagsName in
                var names = unsafe [Optional(addressName), Optional(flagsName)]
                let object = unsafe g_object_new_with_properties(
                    g_dbus_connection_get_type(),
                    2,
                    &names,
                    UnsafePointer(first)
                )
                return unsafe OpaquePointer(UnsafeMutableRawPointer(object!))
            }
        }
    }
}

/// Closes a connection on the GLib thread and gives up the reference to it.
func closeConnection(_ pointer: OpaquePointer, wasOpened: Bool) {
    // A GDBusConnection is made to be shared by threads, and this reference to it is used nowhere else any more.
    nonisolated(unsafe) let pointer = unsafe pointer
    GLibThread.shared.enqueue {
        if wasOpened, unsafe g_dbus_connection_is_closed(pointer) == 0 {
            unsafe g_dbus_connection_close(pointer, nil, nil, nil)
        }
        unsafe g_object_unref(UnsafeMutableRawPointer(pointer))
    }
}
