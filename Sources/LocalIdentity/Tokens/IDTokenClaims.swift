internal import Crypto
internal import FoundationEssentials
internal import JWTKit
internal import SharedAuth

/// What an ID token says: the claims of Firebase's ID tokens, so that a back end reads either.
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

    /// The claims about an account.
    init(_ account: LocalAccount, project: String, signedIn: Int, issued: Int, expires: Int) {
        issuer = Self.issuer(of: project)
        audience = project
        subject = account.uid
        userID = account.uid
        self.issued = issued
        self.expires = expires
        self.signedIn = signedIn
        // Firebase has this claim in the tokens of anonymous users alone.
        providerID = account.isAnonymous ? "anonymous" : nil
        email = account.email
        // Nothing here sends mail, so no address is ever verified.
        isEmailVerified = account.isAnonymous ? nil : false
        name = account.displayName
        picture = account.photoURL?.absoluteString
        firebase = Firebase(
            identities: account.email.map { ["email": [$0]] } ?? [:],
            signInProvider: account.isAnonymous ? "anonymous" : EmailAuthProvider.id,
            tenant: account.tenantID
        )
    }

    /// Reads a token, and checks its signature, whom it is for, and whether it still is good.
    ///
    /// - Throws: `invalidUserToken`, `userTokenExpired`.
    init(_ idToken: String, _ keys: IdentityKeys, project: String, now: Int) async throws(AuthError) {
        let claims: IDTokenClaims
        do {
            claims = try await Self.collection(of: keys).verify(idToken)
        } catch {
            // The error below is not passed on: it may quote the token.
            throw Self.foreign(to: project)
        }
        guard claims.audience == project, claims.issuer == Self.issuer(of: project) else {
            throw Self.foreign(to: project)
        }
        guard claims.expires > now else {
            throw AuthError(.userTokenExpired, "The ID token has expired. Refresh it, or sign in again.")
        }
        self = claims
    }

    /// Writes and signs the token.
    func sign(_ keys: IdentityKeys) async throws(AuthError) -> String {
        do {
            return try await Self.collection(of: keys).sign(self, kid: JWKIdentifier(string: keys.id))
        } catch {
            throw AuthError(.internalError, "The ID token could not be signed.")
        }
    }

    static func issuer(of project: String) -> String { "sharedauth-local:\(project)" }

    private static func collection(of keys: IdentityKeys) async throws -> JWTKeyCollection {
        await JWTKeyCollection().add(
            ecdsa: try ES256PrivateKey(backing: keys.signing),
            kid: JWKIdentifier(string: keys.id)
        )
    }

    private static func foreign(to project: String) -> AuthError {
        AuthError(
            .invalidUserToken,
            "The ID token is not one that the identity provider of project \(project) issued. Sign in again."
        )
    }
}

extension IDTokenClaims: JWTPayload {
    /// Nothing: the claims are checked where the clock and the project are known.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
