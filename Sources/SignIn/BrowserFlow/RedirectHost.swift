/// The host name of a redirect URI on this machine.
public enum RedirectHost: String, Sendable, Hashable {
    /// `127.0.0.1`, which RFC 8252 recommends.
    case address = "127.0.0.1"
    /// `localhost`, for servers that accept no address. The listener is then on `127.0.0.1` and on `::1`, as browsers
    /// may use either.
    case localhost
}
