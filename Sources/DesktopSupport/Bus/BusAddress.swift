internal import CLibsecret
internal import Glibc

/// Where a message bus listens.
@frozen
public enum BusAddress: Sendable, Hashable {
    /// The bus of the login session, looked up whenever a connection is made.
    ///
    /// `DBUS_SESSION_BUS_ADDRESS` names it; without that, it is the socket `bus` in `XDG_RUNTIME_DIR`, if there is one.
    /// A bus is never launched.
    case session
    /// A bus at a D-Bus address, such as `unix:path=/run/user/1000/bus`.
    case address(String)
}

extension BusAddress {
    /// The D-Bus address to connect to, looked up now.
    package func resolved() throws(BusAddressError) -> String {
        switch self {
        case .address(let address):
            return try Self.accepted(address, from: "the configured address")
        case .session:
            if let address = Environment["DBUS_SESSION_BUS_ADDRESS"] {
                return try Self.accepted(address, from: "DBUS_SESSION_BUS_ADDRESS")
            }
            if let directory = Environment["XDG_RUNTIME_DIR"], Self.isSocket("\(directory)/bus") {
                return "unix:path=\(Self.escaped("\(directory)/bus"))"
            }
            throw .none(
                "DBUS_SESSION_BUS_ADDRESS is not set and XDG_RUNTIME_DIR has no socket named bus."
            )
        }
    }

    private static func accepted(_ address: String, from source: String) throws(BusAddressError) -> String {
        guard !address.utf8.contains(0) else {
            throw .malformed("\(source) contains a NUL character, which cannot be sent. Remove it.")
        }
        guard unsafe g_dbus_is_supported_address(address, nil) != 0 else {
            throw .none("\(source) is not the address of a message bus.")
        }
        // "autolaunch:" would start a bus of its own, or find one through an X11 display.
        guard !address.split(separator: ";").contains(where: { $0.hasPrefix("autolaunch:") }) else {
            throw .none("\(source) requests the launch of a bus, which this library does not do.")
        }
        return address
    }

    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    private static func escaped(_ path: String) -> String {
        guard let escaped = unsafe g_dbus_address_escape_value(path) else { return path }
        defer { unsafe g_free(escaped) }
        return unsafe String(cString: escaped)
    }
}

/// Reports that no message bus can be reached, with what is wrong and what to do.
package enum BusAddressError: Error {
    /// No address leads to a bus.
    case none(String)
    /// The address cannot be one.
    case malformed(String)
}
