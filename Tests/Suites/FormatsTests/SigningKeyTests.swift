import Crypto
import Formats
import JSONWebSignature
import Testing

@Suite("Keys that sign tokens")
struct SigningKeyTests {
    private func keys(_ id: String?) throws -> [(SigningKey, SignatureAlgorithm)] {
        [
            (SigningKey(.rsa(try TestSigner.rsaKey.get()), id: id), .rs256),
            (SigningKey(.p256(P256.Signing.PrivateKey()), id: id), .es256),
            (SigningKey(.ed25519(Curve25519.Signing.PrivateKey()), id: id), .ed25519),
            (SigningKey(.secret(SymmetricKey(size: .bits256)), id: id), .hs256),
        ]
    }

    @Test("A token has the header of its key, and is verified with that key alone", arguments: [nil, "k"])
    func signed(_ id: String?) throws {
        let keys = try keys(id)
        for (key, algorithm) in keys {
            let text = try key.sign(["sub": "ada"])
            let token = try #require(key.verifier.token(text))
            #expect(token.algorithmName == algorithm.name && token.keyID == id && token.type == "JWT")
            #expect(token.claims == ["sub": "ada"])
            for (other, _) in keys where other.verifier != key.verifier { #expect(other.verifier.token(text) == nil) }
        }
    }

    @Test("The published key verifies, and has no secret")
    func published() throws {
        for (key, algorithm) in try keys("k") where algorithm != .hs256 {
            let published = try JSONWebKey(key.verifier.json)
            #expect(published == key.verifier)
            #expect(published.token(try key.sign([:])) != nil)
        }
        let secret = SymmetricKey(size: .bits256)
        let json = SigningKey(.secret(secret), id: "k").verifier.json
        #expect(json == .object(["kty": "oct", "use": "sig", "kid": "k", "alg": "HS256"]))
    }

    @Test("A payload that is not claims is signed as it is")
    func bytes() throws {
        for (key, _) in try keys(nil) {
            let token = try #require(key.verifier.token(key.sign([0xFF, 0, 0x2E])))
            #expect(token.payload == [0xFF, 0, 0x2E] && token.claims == nil)
        }
    }
}
