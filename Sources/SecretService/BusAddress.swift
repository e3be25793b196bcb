/// Where a message bus listens.
public enum BusAddress: Sendable, Hashable {
    /// The bus of the login session, looked up anew whenever a connection is made.
    ///
    /// `DBUS_SESSION_BUS_ADDRESS` names it; without that, it is the socket `bus` in `XDG_RUNTIME_DIR`, if there is one.
    /// No bus is ever launched to have one.
    case session
    /// A bus at a D-Bus address, such as `unix:path=/run/user/1000/bus`.
    case address(String)
}
