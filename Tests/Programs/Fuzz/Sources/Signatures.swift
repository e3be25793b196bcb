import Crypto
import Formats

@testable import JSONWebSignature

private let knownKeys: [JSONWebKey] = [
    SigningKey(.p256(P256.Signing.PrivateKey())).verifier,
    SigningKey(.ed25519(Curve25519.Signing.PrivateKey())).verifier,
    SigningKey(.secret(SymmetricKey(size: .bits256))).verifier,
]

/// Reads a token, the header or the payload of a token, and a key or a set of keys.
func fuzzJWS(_ bytes: [UInt8]) {
    let encoded = Base64URL.encode(bytes)
    for text in [String(decoding: bytes, as: UTF8.self), "\(encoded).e30.AAAA", "e30.\(encoded).AAAA"] {
        guard let token = CompactJWS(text) else { continue }
        // A token has one text.
        let signature = Base64URL.encode(token.signature)
        precondition("\(String(decoding: token.signedBytes, as: UTF8.self)).\(signature)" == text)
        precondition(text.utf8.count <= CompactJWS.greatestLength)
        _ = token.claims
        for key in knownKeys { precondition(!key.isSigner(of: token)) }
    }
    guard let value = JSONValue(bytes: bytes) else { return }
    if let key = try? JSONWebKey(value) {
        precondition(!key.algorithms.isEmpty)
        // A key survives its publication, except for a secret.
        precondition(key.algorithms == [.hs256] || (try? JSONWebKey(key.json)) == key)
        for token in [CompactJWS("e30.e30.AAAA"), CompactJWS(#"eyJhbGciOiJSUzI1NiJ9.e30.AAAA"#)] {
            if let token { precondition(!key.isSigner(of: token)) }
        }
    }
    if case .object(let members) = value, let set = JSONWebKeySet(members) {
        precondition(set.keys.count + set.flawed.count <= JSONWebKeySet.greatestCount)
        _ = set.flawed.map(\.flaw.isMistake)
    }
}
