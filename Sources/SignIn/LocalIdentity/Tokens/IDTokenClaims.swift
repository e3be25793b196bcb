internal import FoundationEssentials
internal import JSONWebSignature
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
        guard let token = keys.signer.verifier.token(idToken),
            let claims = try? UntrustedJSON.decode(IDTokenClaims.self, from: token.payload)
        else { throw Self.foreign(to: project) }
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
            return try keys.signer.sign(StableJSON.encode(self))
        } catch {
            throw AuthError(.internalError, "The ID token could not be signed.")
        }
    }

    static func issuer(of project: String) -> String { "sharedauth-local:\(project)" }

    private static func foreign(to project: String) -> AuthError {
        AuthError(
            .invalidUserToken,
            "The ID token was not issued by the identity provider of project \(project). Sign in again."
        )
    }
}
