internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP
internal import SharedAuthRecords

/// The server's RSA key, which signs Pass's tokens and the service tokens of the programmers' own sign-in.
struct ServerKey: Sendable {
    /// The key in the form that Pass's tokens are signed with.
    let signing: TokenSigningKey
    private let pem: String

    /// Generates a new key.
    init() throws(PassTokenError) {
        signing = try TokenSigningKey()
        pem = signing.pem
    }

    /// The public key for checking signatures, in PEM.
    var publicKey: String { signing.publicKey.pem }

    /// Returns a service token, which names a user to the server for one hour; nil if it cannot be signed.
    func serviceToken(for subject: String, now: Date) -> String? {
        let issued = now.timeIntervalSince1970.rounded(.down)
        let claims: [String: JSONValue] = [
            "iss": .string("stand-in"), "sub": .string(subject), "aud": .string("Adobe"), "iat": .number(issued),
            "exp": .number(issued + 3600),
        ]
        let content = [JSONValue.object(["alg": .string("RS256"), "typ": .string("JWT")]), .object(claims)]
            .map { Base64URL.encode($0.bytes) }.joined(separator: ".")
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem),
            let signature = try? key.signature(
                for: SHA256.hash(data: Data(content.utf8)),
                padding: .insecurePKCS1v1_5
            )
        else { return nil }
        return "\(content).\(Base64URL.encode(signature.rawRepresentation))"
    }

    /// Returns the user that a service token names. Nil if the token is not from this server or has expired.
    func subject(ofServiceToken token: String, now: Date) -> String? {
        guard let token = JSONWebToken(token), let signature = token.signature,
            let key = try? _RSA.Signing.PublicKey(pemRepresentation: publicKey),
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: Data(signature)),
                for: SHA256.hash(data: token.signedBytes),
                padding: .insecurePKCS1v1_5
            ),
            token.claims["aud"]?.string == "Adobe", let expires = token.claims["exp"]?.number,
            now.timeIntervalSince1970 < expires
        else { return nil }
        return token.claims["sub"]?.string
    }
}
