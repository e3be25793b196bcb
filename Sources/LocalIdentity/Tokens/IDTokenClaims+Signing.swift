internal import Crypto
internal import JWTKit
internal import SharedAuth

extension IDTokenClaims {
    /// Writes and signs the token.
    func sign(_ keys: IdentityKeys) async throws(AuthError) -> String {
        do {
            return try await Self.collection(of: keys).sign(self, kid: JWKIdentifier(string: keys.id))
        } catch {
            throw AuthError(.internalError, "The ID token could not be signed.")
        }
    }

    /// Reads a token, and checks its signature, whom it is for, and whether it still is good.
    ///
    /// - Throws: `invalidUserToken`, `userTokenExpired`.
    init(_ idToken: String, _ keys: IdentityKeys, project: String, now: Int) async throws(AuthError) {
        let claims: IDTokenClaims
        do {
            claims = try await Self.collection(of: keys).verify(idToken)
        } catch {
            // What is wrong with it is not told on: the error below may quote the token.
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
