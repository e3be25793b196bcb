internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP
internal import SharedAuthRecords

/// The RSA key of the server: it signs the tokens, and the service tokens of its programmers' own sign-in.
struct ServerKeys: Sendable {
    /// The key that signs tokens.
    let tokens: TokenSigningKey
    private let pem: String

    /// Makes a new key.
    init() throws(PassTokenError) {
        tokens = try TokenSigningKey()
        pem = tokens.pem
    }

    /// The key that others check signatures with, in PEM.
    var publicKey: String { tokens.publicKey.pem }

    /// A service token: says for an hour who the person is, to all of their apps.
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

    /// Returns the person whom a service token names; nil for one that is not this server's, or has expired.
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
