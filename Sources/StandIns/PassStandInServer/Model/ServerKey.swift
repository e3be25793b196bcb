internal import CryptoExtras
internal import FoundationEssentials
internal import JSONWebSignature
internal import PassAuth
internal import SharedAuth

/// The server's RSA key, which signs Pass's tokens and the service tokens of the programmers' own sign-in.
struct ServerKey: Sendable {
    /// The key in the form that Pass's tokens are signed with.
    let signing: TokenSigningKey
    /// The same key in the form that service tokens are signed with.
    private let key: SigningKey

    /// Generates a new key.
    init() throws {
        signing = try TokenSigningKey()
        key = try SigningKey(.rsa(_RSA.Signing.PrivateKey(pemRepresentation: signing.pem)))
    }

    /// The public key for checking signatures, in PEM.
    var publicKey: String { signing.publicKey.pem }

    /// Returns a service token, which names a user to the server for one hour; nil if it cannot be signed.
    func serviceToken(for subject: String, now: Date) -> String? {
        let issued = now.timeIntervalSince1970.rounded(.down)
        return try? key.sign([
            "iss": .string("stand-in"), "sub": .string(subject), "aud": .string("Adobe"), "iat": .number(issued),
            "exp": .number(issued + 3600),
        ])
    }

    /// Returns the user that a service token names. Nil if the token is not from this server or has expired.
    func subject(ofServiceToken token: String, now: Date) -> String? {
        guard let claims = key.verifier.token(token)?.claims, claims["aud"]?.string == "Adobe",
            let expires = claims["exp"]?.number, now.timeIntervalSince1970 < expires
        else { return nil }
        return claims["sub"]?.string
    }
}
