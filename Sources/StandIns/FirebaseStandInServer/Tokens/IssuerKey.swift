internal import CryptoExtras
internal import JSONWebSignature
internal import SharedAuth

/// The RSA key that signs the tokens of one issuer.
struct IssuerKey: Sendable {
    private let key: SigningKey

    /// Generates a key, which takes some tenths of a second.
    init(named name: String) throws(Refusal) {
        do {
            key = try SigningKey(.rsa(_RSA.Signing.PrivateKey(keySize: .bits2048)), id: name)
        } catch {
            throw .internalFailure
        }
    }

    /// The public key, as a JSON Web Key.
    var publicKey: JSONValue { key.verifier.json }

    func sign(_ claims: [String: JSONValue]) throws(Refusal) -> String {
        do throws(SigningKey.Failure) {
            return try key.sign(claims)
        } catch {
            throw .internalFailure
        }
    }

    /// Returns the claims of a token that this key signed; nil for any other token. The callers check the claims,
    /// because they know the clock and the project.
    func claims(of token: String) -> [String: JSONValue]? { key.verifier.token(token)?.claims }
}

extension Refusal {
    fileprivate static let internalFailure: Refusal = {
        var refusal = Refusal("A key could not be made or used.")
        (refusal.status, refusal.name) = (500, "INTERNAL")
        return refusal
    }()
}
