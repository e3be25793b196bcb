internal import FoundationEssentials
public import SharedAuth
internal import SharedAuthHTTP

/// A Firebase emulator, on this machine or nearby, that replaces Firebase in tests.
struct Emulator: Sendable, Hashable {
    let host: String
    let port: Int
    /// True if passwords may be sent to the host over plain HTTP although it is another machine.
    let allowsPlainHTTP: Bool

    init(host: String, port: Int, allowsPlainHTTP: Bool) {
        // An IPv6 address may have the brackets of a URL.
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// Parses `host:port`; nil for anything else.
    init?(hostAndPort text: String, allowsPlainHTTP: Bool) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let (host, port) = (text[..<colon], text[text.index(after: colon)...])
        guard !host.isEmpty, !host.contains("/"), let port = UInt16(port), port > 0 else { return nil }
        guard !host.contains(":") || host.hasPrefix("[") && host.hasSuffix("]") else { return nil }
        self.init(host: String(host), port: Int(port), allowsPlainHTTP: allowsPlainHTTP)
    }

    /// The emulator's base URL, without a path.
    var address: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

extension Auth {
    /// Sends all requests to the Firebase emulator or another stand-in from now on. Call it before any other method.
    ///
    /// Tokens that Firebase itself issued are never sent to the emulator: a user who is signed in at Firebase stays
    /// stored, and calls for that user throw `issuerMismatch`. If Firebase is not the identity provider, this has no
    /// effect.
    ///
    /// - Parameters:
    ///   - host: A host name or an IP address.
    ///   - port: The port, usually 9099.
    ///   - allowingPlainHTTP: Pass true to allow an emulator on another machine. Passwords and tokens then cross the
    ///     network unencrypted. If it is false, calls to another machine throw `internalError` and nothing is sent.
    public func useEmulator(withHost host: String, port: Int, allowingPlainHTTP: Bool = false) {
        identityToolkit?.use(Emulator(host: host, port: port, allowsPlainHTTP: allowingPlainHTTP))
    }

    /// Sends all requests to the emulator that `FIREBASE_AUTH_EMULATOR_HOST` names, as `host:port`. Only this method
    /// reads the variable.
    ///
    /// - Returns: True if the variable is set; false if requests still go to Firebase.
    /// - Throws: `internalError` if the variable is malformed; nothing changes then.
    @discardableResult
    public func useEmulator(allowingPlainHTTP: Bool = false) throws(AuthError) -> Bool {
        try useEmulator(
            named: ProcessInfo.processInfo.environment["FIREBASE_AUTH_EMULATOR_HOST"],
            allowingPlainHTTP: allowingPlainHTTP
        )
    }

    func useEmulator(named text: String?, allowingPlainHTTP: Bool) throws(AuthError) -> Bool {
        guard let text, !text.isEmpty else { return false }
        try useEmulator(at: text, from: "FIREBASE_AUTH_EMULATOR_HOST", allowingPlainHTTP: allowingPlainHTTP)
        return true
    }

    /// Sends all requests to the emulator at `host:port`.
    ///
    /// - Parameter setting: The name of the setting that the text is from.
    /// - Throws: `internalError` if the text is malformed; nothing changes then.
    package func useEmulator(
        at text: String,
        from setting: String,
        allowingPlainHTTP: Bool = false
    ) throws(AuthError) {
        guard let emulator = Emulator(hostAndPort: text, allowsPlainHTTP: allowingPlainHTTP) else {
            throw AuthError(
                .internalError,
                "\(setting) is not a host and a port.",
                remedy: "Set it to something like 127.0.0.1:9099, without http://."
            )
        }
        identityToolkit?.use(emulator)
    }

    /// The identity provider, if it is Firebase.
    var identityToolkit: IdentityToolkit? { (try? identityProvider()) as? IdentityToolkit }
}

extension IdentityToolkit {
    /// Sends all requests to the emulator at `host:port`. If the text does not name an emulator on this machine,
    /// returns false and changes nothing.
    package func useEmulator(onThisMachine text: String) -> Bool {
        guard let emulator = Emulator(hostAndPort: text, allowsPlainHTTP: false),
            URL(string: emulator.address).flatMap({ HTTPOrigin($0) })?.isLoopback == true
        else { return false }
        use(emulator)
        return true
    }
}
