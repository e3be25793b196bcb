internal import Crypto
internal import FoundationEssentials
internal import SharedAuth

/// The claims of an ID token, the same as in Firebase's, so that a back end can read either.
struct IDTokenClaims: Sendable, Codable {
    /// The claim named after Firebase.
    struct Firebase: Sendable, Codable {
        enum CodingKeys: String, CodingKey {
            case identities
            case signInProvider = "sign_in_provider"
            case tenant
        }

        let identities: [String: [String]]
        let signInProvider: String
        let tenant: String?
    }

    enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case audience = "aud"
        case subject = "sub"
        case userID = "user_id"
        case issued = "iat"
        case expires = "exp"
        case signedIn = "auth_time"
        case providerID = "provider_id"
        case email
        case isEmailVerified = "email_verified"
        case name
        case picture
        case firebase
    }

    let issuer: String
    let audience: String
    let subject: String
    let userID: String
    let issued: Int
    let expires: Int
    let signedIn: Int
    let providerID: String?
    let email: String?
    let isEmailVerified: Bool?
    let name: String?
    let picture: String?
    let firebase: Firebase

    /// Creates the claims about an account.
    init(_ account: LocalAccount, project: String, signedIn: Int, issued: Int, expires: Int) {
        issuer = Self.issuer(of: project)
        audience = project
        subject = account.uid
        userID = account.uid
        self.issued = issued
        self.expires = expires
        self.signedIn = signedIn
        // Firebase has this claim only in the tokens of anonymous users.
        providerID = account.isAnonymous ? "anonymous" : nil
        email = account.email
        // This provider sends no e-mail, so no address is ever verified.
        isEmailVerified = account.isAnonymous ? nil : false
        name = account.displayName
        picture = account.photoURL?.absoluteString
        firebase = Firebase(
            identities: account.email.map { ["email": [$0]] } ?? [:],
            signInProvider: account.isAnonymous ? "anonymous" : EmailAuthProvider.id,
            tenant: account.tenantID
        )
    }

    /// Reads a token and checks its signature, audience, issuer and expiration.
    ///
    /// - Throws: `invalidUserToken`, `userTokenExpired`.
    init(_ idToken: String, _ keys: IdentityKeys, project: String, now: Int) throws(AuthError) {
        guard let claims = Self.verified(idToken, keys) else { throw Self.foreign(to: project) }
        guard claims.audience == project, claims.issuer == Self.issuer(of: project) else {
            throw Self.foreign(to: project)
        }
        guard claims.expires > now else {
            throw AuthError(.userTokenExpired, "The ID token has expired. Refresh it, or sign in again.")
        }
        self = claims
    }

    /// Encodes and signs the token.
    func sign(_ keys: IdentityKeys) throws(AuthError) -> String {
        do {
            let header = Header(algorithm: Self.algorithm, keyID: keys.id, type: "JWT")
            let signed = try [JSONEncoder().encode(header), JSONEncoder().encode(self)].map { Base64URL.encode($0) }
                .joined(separator: ".")
            let signature = try keys.signing.signature(for: Array(signed.utf8))
            return "\(signed).\(Base64URL.encode(signature.rawRepresentation))"
        } catch {
            throw AuthError(.internalError, "The ID token could not be signed.")
        }
    }

    static func issuer(of project: String) -> String { "sharedauth-local:\(project)" }

    private static let algorithm = "ES256"

    /// The header of a token (RFC 7515 §4.1).
    private struct Header: Codable {
        enum CodingKeys: String, CodingKey {
            case algorithm = "alg"
            case keyID = "kid"
            case type = "typ"
        }

        let algorithm: String
        let keyID: String
        let type: String
    }

    /// Returns the claims of a token that these keys signed, or nil for any other text.
    private static func verified(_ idToken: String, _ keys: IdentityKeys) -> IDTokenClaims? {
        let parts = idToken.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decode(parts[0].utf8), let body = Base64URL.decode(parts[1].utf8),
            let header = try? UntrustedJSON.decode(Header.self, from: head),
            header.algorithm == algorithm, header.keyID == keys.id,
            let bytes = Base64URL.decode(parts[2].utf8),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes),
            keys.signing.publicKey.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8))
        else { return nil }
        return try? UntrustedJSON.decode(IDTokenClaims.self, from: body)
    }

    private static func foreign(to project: String) -> AuthError {
        AuthError(
            .invalidUserToken,
            "The ID token was not issued by the identity provider of project \(project). Sign in again."
        )
    }
}
