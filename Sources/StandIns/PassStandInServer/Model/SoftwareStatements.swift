internal import Crypto
internal import FoundationEssentials
internal import JSONWebSignature
internal import SharedAuth

/// The software statements that apps register with: JSON web tokens that only this server can check.
struct SoftwareStatements: Sendable {
    /// The reason that an app may not register.
    enum Flaw: String, Error {
        /// The statement is not from this server, or has expired.
        case invalid = "invalid_software_statement"
        /// The statement was revoked.
        case unapproved = "unapproved_software_statement"
    }

    private let key = SigningKey(.secret(SymmetricKey(size: .bits256)))
    /// The statements agreed on in advance.
    private let agreed: Set<String>
    private var revoked: Set<String> = []

    /// Creates statements with some agreed on in advance.
    init(agreed: Set<String>) { self.agreed = agreed }

    /// Returns a new statement for an app.
    ///
    /// - Parameter lifetime: The lifetime in seconds; nil for no expiry.
    func statement(for application: String, lifetime: Double?, now: Date) throws(SigningKey.Failure) -> String {
        var claims: [String: JSONValue] = [
            "iss": .string("stand-in"), "sub": .string(application), "jti": .string(UUID().uuidString),
            "iat": .number(now.timeIntervalSince1970.rounded(.down)),
        ]
        if let lifetime { claims["exp"] = .number(now.timeIntervalSince1970.rounded(.down) + lifetime) }
        return try key.sign(claims)
    }

    /// Revokes a statement. No app can register with it, and apps that did must register again.
    mutating func revoke(_ statement: String) { revoked.insert(statement) }

    /// Checks the statement of an app that registers.
    func check(_ statement: String, now: Date) throws(Flaw) {
        if revoked.contains(statement) { throw .unapproved }
        if agreed.contains(statement) { return }
        guard let claims = key.verifier.token(statement)?.claims else { throw .invalid }
        if let expires = claims["exp"]?.number, now.timeIntervalSince1970 >= expires { throw .invalid }
    }

    /// Returns true if an app that registered with a statement still counts as registered.
    func isInForce(_ statement: String) -> Bool { !revoked.contains(statement) }
}
