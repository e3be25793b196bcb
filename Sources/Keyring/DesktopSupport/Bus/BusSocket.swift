internal import CGLibSecret

/// The socket of a message bus on this machine.
package enum BusSocket {
    /// Returns the user whose program listens at a D-Bus address; nil if none listens there, this process may not connect,
    /// or the address is not a local one.
    package static func owner(of address: String) -> UInt32? {
        guard address.hasPrefix("unix:"), unsafe g_dbus_is_supported_address(address, nil) != 0,
            let stream = unsafe g_dbus_address_get_stream_sync(address, nil, nil, nil)
        else { return nil }
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(stream)) }
        let connection = unsafe UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GSocketConnection.self)
        let socket = unsafe g_socket_connection_get_socket(connection)
        guard let peer = unsafe g_socket_get_credentials(socket, nil) else { return nil }
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(peer)) }
        let user = unsafe g_credentials_get_unix_user(peer, nil)
        return user == UInt32.max ? nil : user
    }
}
