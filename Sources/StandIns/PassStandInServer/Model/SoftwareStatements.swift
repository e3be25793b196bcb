internal import Crypto
internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP
internal import SharedAuthRecords

/// The software statements that apps register with: JSON web tokens that only this server can check.
struct SoftwareStatements: Sendable {
    /// The reason that an app may not register.
    enum Flaw: String, Error {
        /// The statement is not from this server, or has expired.
        case invalid = "invalid_software_statement"
        /// The statement was revoked.
        case unapproved = "unapproved_software_statement"
    }

    private let key = SymmetricKey(size: .bits256)
    /// The statements agreed on in advance.
    private let agreed: Set<String>
    private var revoked: Set<String> = []

    /// Creates statements with some agreed on in advance.
    init(agreed: Set<String>) { self.agreed = agreed }

    /// Returns a new statement for an app.
    ///
    /// - Parameter lifetime: The lifetime in seconds; nil for no expiry.
    func statement(for application: String, lifetime: Double?, now: Date) -> String {
        var claims: [String: JSONValue] = [
            "iss": .string("stand-in"), "sub": .string(application), "jti": .string(UUID().uuidString),
            "iat": .number(now.timeIntervalSince1970.rounded(.down)),
        ]
        if let lifetime { claims["exp"] = .number(now.timeIntervalSince1970.rounded(.down) + lifetime) }
        let content = [JSONValue.object(["alg": .string("HS256"), "typ": .string("JWT")]), .object(claims)]
            .map { Base64URL.encode($0.bytes) }.joined(separator: ".")
        let code = HMAC<SHA256>.authenticationCode(for: Data(content.utf8), using: key)
        return "\(content).\(Base64URL.encode(Array(code)))"
    }

    /// Revokes a statement. No app can register with it, and apps that did must register again.
    mutating func revoke(_ statement: String) { revoked.insert(statement) }

    /// Checks the statement of an app that registers.
    func check(_ statement: String, now: Date) throws(Flaw) {
        if revoked.contains(statement) { throw .unapproved }
        if agreed.contains(statement) { return }
        guard let token = JSONWebToken(statement), let code = token.signature,
            HMAC<SHA256>.isValidAuthenticationCode(
                code,
                authenticating: token.signedBytes,
                using: key
            )
        else { throw .invalid }
        if let expires = token.claims["exp"]?.number, now.timeIntervalSince1970 >= expires { throw .invalid }
    }

    /// Returns true if an app that registered with a statement still counts as registered.
    func isInForce(_ statement: String) -> Bool { !revoked.contains(statement) }
}
