import Crypto
import CryptoExtras
import Formats
import JSONWebSignature
import Testing

@Suite("Signatures of tokens")
struct SignatureTests {
    @Test("A signature of each algorithm is verified", arguments: SignatureAlgorithm.allCases)
    func verified(_ algorithm: SignatureAlgorithm) throws {
        let signer = try TestSigner.of(algorithm)
        let key = try signer.labelled([:])
        let token = try #require(key.token(signer.token()))
        #expect(token.claims == ["sub": "ada"])
        #expect(try token.algorithm(among: [algorithm]) == algorithm)
        #expect(try signer.labelled(["alg": .string(algorithm.name)]).isSigner(of: token))
    }

    @Test("A signature of another length or content is refused", arguments: SignatureAlgorithm.allCases)
    func altered(_ algorithm: SignatureAlgorithm) throws {
        let signer = try TestSigner.of(algorithm)
        let key = try signer.labelled([:])
        let content = try signer.token().split(separator: ".").dropLast().joined(separator: ".")
        let good = try signer.sign(Array(content.utf8))
        var last = good
        last[last.count - 1] ^= 1
        var first = good
        first[0] ^= 1
        let bad: [[UInt8]] = [
            [], [0], Array(good.dropLast()), Array(good.dropFirst()), good + [0], [0] + good, good + good, last, first,
            good.map { _ in 0 }, good.map { _ in 0xFF }, good.reversed(),
        ]
        for signature in bad { #expect(key.token("\(content).\(Base64URL.encode(signature))") == nil) }
        #expect(key.token("\(content).\(Base64URL.encode(good))") != nil)
        // The same signature, over claims that it does not belong to.
        let other = try signer.token([:], #"{"sub":"eve"}"#).split(separator: ".").dropLast().joined(separator: ".")
        #expect(key.token("\(other).\(Base64URL.encode(good))") == nil)
    }

    @Test("A signature in the form of certificates, ASN.1, is refused")
    func asn1() throws {
        let signer = try TestSigner.of(.es256)
        let key = try signer.labelled([:])
        let content = try signer.token().split(separator: ".").dropLast().joined(separator: ".")
        let raw = try signer.sign(Array(content.utf8))
        let asn1 = try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation
        #expect(key.token("\(content).\(Base64URL.encode(asn1))") == nil)
        #expect(key.token("\(content).\(Base64URL.encode(raw))") != nil)
    }

    @Test("A signature with the name of another algorithm is refused", arguments: SignatureAlgorithm.allCases)
    func otherName(_ algorithm: SignatureAlgorithm) throws {
        let signer = try TestSigner.of(algorithm)
        let key = try signer.labelled([:])
        let others = SignatureAlgorithm.allCases.filter { $0 != algorithm }
        for other in others {
            #expect(key.token(try signer.token(["alg": .string(other.name)])) == nil)
            // A label of the key excludes the algorithm, even if the signature is right.
            guard let labelled = try? signer.labelled(["alg": .string(other.name)]) else { continue }
            #expect(labelled.token(try signer.token()) == nil)
        }
        #expect(key.token(try signer.token(["alg": .string(algorithm.name.lowercased())])) == nil)
    }

    @Test("Both names of Ed25519 mean the same, in the token and in the key")
    func bothNames() throws {
        let signer = try TestSigner.of(.ed25519)
        for name in ["EdDSA", "Ed25519"] {
            let token = try signer.token(["alg": .string(name)])
            for label: [String: JSONValue] in [[:], ["alg": "EdDSA"], ["alg": "Ed25519"]] {
                #expect(try signer.labelled(label).token(token) != nil)
            }
        }
        #expect(SignatureAlgorithm(named: "Ed25519") == .ed25519 && SignatureAlgorithm(named: "EdDSA") == .ed25519)
        #expect(SignatureAlgorithm(named: "Ed448") == nil && SignatureAlgorithm(named: "none") == nil)
    }

    @Test("An unsigned token is refused", arguments: ["none", "None", "NONE", ""])
    func unsigned(_ name: String) throws {
        for algorithm in SignatureAlgorithm.allCases {
            let signer = try TestSigner.of(algorithm)
            let key = try signer.labelled([:])
            let token = try signer.token(["alg": .string(name)])
            #expect(key.token(token) == nil)
            let bare = token.split(separator: ".").dropLast().joined(separator: ".") + "."
            #expect(key.token(bare) == nil)
            #expect(throws: SignatureFlaw.algorithm(name)) {
                try #require(CompactJWS(bare)).algorithm(among: Set(SignatureAlgorithm.allCases))
            }
        }
    }

    @Test("A token without an algorithm is refused")
    func noAlgorithm() throws {
        let signer = try TestSigner.of(.es256)
        for header in ["{}", #"{"alg":null}"#, #"{"alg":["ES256"]}"#] {
            let token = try signer.token(Array(header.utf8), Array("{}".utf8))
            #expect(try signer.labelled([:]).token(token) == nil)
            #expect(throws: SignatureFlaw.algorithm(nil)) {
                try #require(CompactJWS(token)).algorithm(among: [.es256])
            }
        }
    }

    @Test(
        "A token that demands extensions is refused",
        arguments: [
            #""crit":["exp"]"#, #""crit":[]"#, #""crit":null"#, #""crit":"b64""#, #""b64":false,"crit":["b64"]"#,
            #""b64":false"#, #""b64":true"#, #""b64":null"#,
        ]
    )
    func extensions(_ members: String) throws {
        let signer = try TestSigner.of(.es256)
        let token = try signer.token(Array(#"{"alg":"ES256",\#(members)}"#.utf8), Array("{}".utf8))
        #expect(try signer.labelled([:]).token(token) == nil)
        #expect(throws: SignatureFlaw.extensions) { try #require(CompactJWS(token)).algorithm(among: [.es256]) }
    }

    @Test("A missing label fits any, and another label none")
    func labels() throws {
        let signer = try TestSigner.of(.es256)
        let rows: [(key: String?, token: String?, fits: Bool)] = [
            (nil, nil, true), (nil, "a", true), ("a", nil, true), ("a", "a", true), ("a", "b", false),
            ("a", "A", false),
        ]
        for row in rows {
            let key = try signer.labelled(row.key.map { ["kid": .string($0)] } ?? [:])
            let token = try signer.token(row.token.map { ["kid": .string($0)] } ?? [:])
            #expect((key.token(token) != nil) == row.fits, "\(row)")
            let set = try #require(JSONWebKeySet(["keys": .array([key.json])]))
            #expect(set.hasSigner(of: try #require(CompactJWS(token)), .es256) == row.fits, "\(row)")
        }
    }

    @Test("A public key is not a secret, in no form")
    func publicKeyAsSecret() throws {
        let key = try TestSigner.rsaKey.get().publicKey
        let signer = try TestSigner.of(.rs256)
        let content = try signer.token(["alg": "HS256"]).split(separator: ".").dropLast().joined(separator: ".")
        let forms = [
            Array(key.pemRepresentation.utf8), Array(key.derRepresentation), try signer.labelled([:]).json.bytes,
        ]
        for form in forms {
            let code = HMAC<SHA256>.authenticationCode(for: Array(content.utf8), using: SymmetricKey(data: form))
            let token = "\(content).\(Base64URL.encode(code))"
            #expect(try signer.labelled([:]).token(token) == nil)
            #expect(throws: SignatureFlaw.algorithm("HS256")) {
                try #require(CompactJWS(token)).algorithm(among: SignatureAlgorithm.ofPublicKeys)
            }
        }
    }
}
