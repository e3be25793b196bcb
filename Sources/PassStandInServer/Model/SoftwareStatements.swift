internal import Crypto
internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP
internal import SharedAuthRecords

/// The software statements of apps: what they register with. They are JSON web tokens that this server alone can check.
struct SoftwareStatements: Sendable {
    /// Why an app may not register.
    enum Flaw: String, Error {
        /// Not one of this server's, or its time is over.
        case invalid = "invalid_software_statement"
        /// It was revoked.
        case unapproved = "unapproved_software_statement"
    }

    private let key = SymmetricKey(size: .bits256)
    /// Statements that were agreed on beforehand.
    private let agreed: Set<String>
    private var revoked: Set<String> = []

    /// Begins with statements that others know already.
    init(agreed: Set<String>) { self.agreed = agreed }

    /// A new statement for an app.
    ///
    /// - Parameter lifetime: how long it is good, in seconds; nil: for ever.
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

    /// Revokes a statement: nobody registers with it any more, and whoever did has to again.
    mutating func revoke(_ statement: String) { revoked.insert(statement) }

    /// Looks at what an app registers with.
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

    /// Whether an app that registered with it still counts as registered.
    func isInForce(_ statement: String) -> Bool { !revoked.contains(statement) }
}
