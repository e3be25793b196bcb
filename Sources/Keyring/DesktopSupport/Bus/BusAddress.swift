internal import CGLibSecret
internal import Glibc

/// The address of a message bus.
@frozen
public enum BusAddress: Sendable, Hashable {
    /// The bus of the login session, determined for each new connection.
    ///
    /// `DBUS_SESSION_BUS_ADDRESS` contains the address; otherwise it is the socket `bus` in `XDG_RUNTIME_DIR`, if it
    /// exists. A bus is never launched.
    case session
    /// A bus at a D-Bus address, such as `unix:path=/run/user/1000/bus`.
    case address(String)
}

extension BusAddress {
    /// Returns the current D-Bus address to connect to.
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

    /// The address of the user's bus at its usual place, if a program of this user listens there and the bus of the
    /// session is sought elsewhere: an environment may name a bus that has ended, or none.
    package var livingInstead: String? {
        guard case .session = self else { return nil }
        let used = try? resolved()
        let directories = [Environment["XDG_RUNTIME_DIR"], "/run/user/\(geteuid())"].compactMap(\.self)
        return directories.map { "unix:path=\(Self.escaped("\($0)/bus"))" }
            .first { $0 != used && BusSocket.owner(of: $0) == geteuid() }
    }

    private static func accepted(_ address: String, from source: String) throws(BusAddressError) -> String {
        guard !address.utf8.contains(0) else {
            throw .malformed("\(source) contains a NUL character, which cannot be sent. Remove it.")
        }
        guard unsafe g_dbus_is_supported_address(address, nil) != 0 else {
            throw .none("\(source) is not the address of a message bus.")
        }
        // "autolaunch:" would start a new bus, or find one through an X11 display.
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

/// The error when no message bus can be reached; the text says what is wrong and what to do.
package enum BusAddressError: Error {
    /// There is no address of a bus.
    case none(String)
    /// The address is malformed.
    case malformed(String)
}
