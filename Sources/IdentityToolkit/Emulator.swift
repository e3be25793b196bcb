internal import FoundationEssentials
public import SharedAuth
internal import SharedAuthHTTP

/// A server on this machine, or nearby, that stands for Firebase in tests.
struct Emulator: Sendable, Hashable {
    let host: String
    let port: Int
    /// Whether passwords may be sent to that host over plain http, although it is another machine.
    let allowsPlainHTTP: Bool

    init(host: String, port: Int, allowsPlainHTTP: Bool) {
        // An IPv6 address may come with the brackets of a URL.
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// Reads `host:port`; nil for anything else.
    init?(hostAndPort text: String, allowsPlainHTTP: Bool) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let (host, port) = (text[..<colon], text[text.index(after: colon)...])
        guard !host.isEmpty, !host.contains("/"), let port = UInt16(port), port > 0 else { return nil }
        guard !host.contains(":") || host.hasPrefix("[") && host.hasSuffix("]") else { return nil }
        self.init(host: String(host), port: Int(port), allowsPlainHTTP: allowsPlainHTTP)
    }

    /// Its address, without a path.
    var address: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

extension Auth {
    /// Sends everything to the Firebase emulator, or another stand-in, from now on. Call it before anything else.
    ///
    /// A session of Firebase itself is never shown to the emulator: a user who is signed in there stays stored, and calls for that user
    /// throw `issuerMismatch`. Without Firebase as the identity provider, nothing happens.
    /// - Parameters:
    ///   - host: a name or an address.
    ///   - port: the port, usually 9099.
    ///   - allowingPlainHTTP: whether that may be another machine than this one. Passwords and tokens then cross the network as they
    ///     are. Unless it is set, calls for another machine throw `internalError`, and nothing is sent.
    public func useEmulator(withHost host: String, port: Int, allowingPlainHTTP: Bool = false) {
        identityToolkit?.use(Emulator(host: host, port: port, allowsPlainHTTP: allowingPlainHTTP))
    }

    /// Sends everything to the emulator that `FIREBASE_AUTH_EMULATOR_HOST` names, as `host:port`. Nothing else reads the variable.
    ///
    /// - Returns: whether the variable is set; otherwise Firebase itself is used.
    /// - Throws: `internalError` if the variable is malformed; then nothing changes.
    @discardableResult
    public func useEmulator(allowingPlainHTTP: Bool = false) throws(AuthError) -> Bool {
        try useEmulator(
            named: ProcessInfo.processInfo.environment["FIREBASE_AUTH_EMULATOR_HOST"],
            allowingPlainHTTP: allowingPlainHTTP
        )
    }

    func useEmulator(named text: String?, allowingPlainHTTP: Bool) throws(AuthError) -> Bool {
        guard let text, !text.isEmpty else { return false }
        guard let emulator = Emulator(hostAndPort: text, allowsPlainHTTP: allowingPlainHTTP) else {
            throw AuthError(
                .internalError,
                "FIREBASE_AUTH_EMULATOR_HOST is not a host and a port.",
                remedy: "Set it to something like 127.0.0.1:9099, without http://."
            )
        }
        identityToolkit?.use(emulator)
        return true
    }

    /// Firebase, if it is the app's identity provider.
    var identityToolkit: IdentityToolkit? { (try? identityProvider()) as? IdentityToolkit }
}

extension IdentityToolkit {
    /// Sends everything to the emulator that a text names, as `host:port`; false, and nothing changes, if it names none on this
    /// machine.
    package func useEmulator(onThisMachine text: String) -> Bool {
        guard let emulator = Emulator(hostAndPort: text, allowsPlainHTTP: false),
            URL(string: emulator.address).flatMap({ HTTPOrigin($0) })?.isLoopback == true
        else { return false }
        use(emulator)
        return true
    }
}
