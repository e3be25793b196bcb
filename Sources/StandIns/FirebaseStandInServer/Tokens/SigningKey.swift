internal import CryptoExtras
internal import FoundationEssentials
internal import JWTKit
internal import SharedAuth
internal import SharedAuthRecords

/// An RSA key that signs the tokens of one issuer.
struct SigningKey: Sendable {
    private let keys: JWTKeyCollection
    private let id: JWKIdentifier
    /// The public key, as a JSON Web Key.
    let publicKey: JSONValue

    /// Generates a key pair, which takes some tenths of a second. Returns nil if that fails.
    static func newPair() -> _RSA.Signing.PrivateKey? { try? _RSA.Signing.PrivateKey(keySize: .bits2048) }

    init(_ pair: _RSA.Signing.PrivateKey?, named name: String) async throws(Refusal) {
        guard let key = pair else { throw .internalFailure }
        id = JWKIdentifier(string: name)
        do {
            let primitives = try key.publicKey.getKeyPrimitives()
            publicKey = .object([
                "kty": .string("RSA"), "alg": .string("RS256"), "use": .string("sig"), "kid": .string(name),
                "n": .string(Base64URL.encode(primitives.modulus)),
                "e": .string(Base64URL.encode(primitives.publicExponent)),
            ])
            let signer = try Insecure.RSA.PrivateKey(backing: key)
            keys = await JWTKeyCollection().add(rsa: signer, digestAlgorithm: .sha256, kid: id)
        } catch {
            throw .internalFailure
        }
    }

    func sign(_ claims: [String: JSONValue]) async throws(Refusal) -> String {
        do {
            return try await keys.sign(ClaimSet(members: claims), kid: id)
        } catch {
            throw .internalFailure
        }
    }

    /// Returns the claims of a token that this key signed; nil for any other token.
    func claims(of token: String) async -> [String: JSONValue]? {
        try? await keys.verify(token, as: ClaimSet.self).members
    }
}

/// Unchecked claims. The callers check them, because they know the clock and the project.
private struct ClaimSet: JWTPayload {
    let members: [String: JSONValue]

    init(members: [String: JSONValue]) { self.members = members }

    init(from decoder: any Decoder) throws {
        members = try decoder.singleValueContainer().decode([String: JSONValue].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }

    func verify(using algorithm: some JWTAlgorithm) async throws {}
}

extension Refusal {
    fileprivate static let internalFailure: Refusal = {
        var refusal = Refusal("A key could not be made or used.")
        (refusal.status, refusal.name) = (500, "INTERNAL")
        return refusal
    }()
}
