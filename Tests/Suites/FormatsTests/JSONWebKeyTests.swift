import CryptoExtras
import Formats
import JSONWebSignature
import Testing

@Suite("JSON Web Keys")
struct JSONWebKeyTests {
    private func flaw(_ algorithm: SignatureAlgorithm, _ changes: [String: JSONValue?]) throws -> KeyFlaw? {
        var members = try TestSigner.of(algorithm).key
        for (name, value) in changes { members[name] = value }
        do throws(KeyFlaw) {
            _ = try JSONWebKey(.object(members))
            return nil
        } catch {
            return error
        }
    }

    private func text(_ algorithm: SignatureAlgorithm, _ name: String) throws -> String {
        try #require(TestSigner.of(algorithm).key[name]?.string)
    }

    private func bytes(_ algorithm: SignatureAlgorithm, _ name: String) throws -> [UInt8] {
        try #require(Base64URL.decode(text(algorithm, name).utf8))
    }

    @Test("A key without labels is for all algorithms of its type")
    func algorithms() throws {
        let rsa: Set<SignatureAlgorithm> = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        #expect(try TestSigner.of(.rs256).labelled([:]).algorithms == rsa)
        #expect(try TestSigner.of(.rs256).labelled(["alg": "PS384"]).algorithms == [.ps384])
        for algorithm: SignatureAlgorithm in [.es256, .es384, .es512, .ed25519, .hs256] {
            #expect(try TestSigner.of(algorithm).labelled([:]).algorithms == [algorithm])
        }
    }

    @Test("Labels of another type, and empty ones, are as good as none")
    func otherTypes() throws {
        let key = try TestSigner.of(.es256).labelled([
            "kid": .number(7), "alg": .null, "use": .array([]), "key_ops": "verify", "x5c": .null,
        ])
        #expect(key.id == nil && key.algorithms == [.es256])
        let empty = try TestSigner.of(.es256).labelled([
            "kid": "", "alg": "", "use": "", "key_ops": .array([]), "x5c": .array([]),
        ])
        #expect(empty.id == nil && empty.algorithms == [.es256])
    }

    @Test("A key for another purpose is left out, and is no mistake")
    func otherPurpose() throws {
        for labels: [String: JSONValue] in [
            ["use": "enc"], ["key_ops": .array(["sign"])], ["alg": "RSA-OAEP-256"],
        ] {
            let flaw = try flaw(.rs256, labels.mapValues(Optional.some))
            #expect(flaw == .otherPurpose && flaw?.isMistake == false)
        }
        #expect(try flaw(.rs256, ["use": "sig", "key_ops": .array(["verify", "sign"])]) == nil)
    }

    @Test("An RSA key below 2048 bits is refused")
    func shortRSA() throws {
        for bits in [1024, 1536] {
            let key = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits)).publicKey.getKeyPrimitives()
            let members: [String: JSONValue] = [
                "kty": "RSA", "n": .string(Base64URL.encode(key.modulus)),
                "e": .string(Base64URL.encode(key.publicExponent)),
            ]
            #expect(throws: KeyFlaw.short(bits: bits)) { try JSONWebKey(.object(members)) }
            // Zeros at the front add no bits.
            let padded = JSONValue.string(Base64URL.encode([UInt8](repeating: 0, count: 200) + Array(key.modulus)))
            #expect(throws: KeyFlaw.short(bits: bits)) {
                try JSONWebKey(.object(members.merging(["n": padded]) { $1 }))
            }
        }
        let modulus = try bytes(.rs256, "n")
        #expect(try flaw(.rs256, ["n": .string(Base64URL.encode([0x7F] + modulus.dropFirst()))]) == .short(bits: 2047))
        #expect(try flaw(.rs256, ["n": .string(Base64URL.encode([0] + modulus))]) == nil)
    }

    @Test("A secret shorter than its hash is refused")
    func shortSecret() throws {
        let secret = try bytes(.hs256, "k")
        #expect(try flaw(.hs256, ["k": .string(Base64URL.encode(secret.dropLast()))]) == .short(bits: 248))
        #expect(try flaw(.hs256, ["k": .string(Base64URL.encode(secret + secret))]) == nil)
    }

    @Test("RSA numbers that cannot be a key are refused")
    func noRSAKey() throws {
        for exponent: [UInt8] in [[0], [1], [2], [1, 0, 0], [UInt8](repeating: 0xFF, count: 9)] {
            #expect(try flaw(.rs256, ["e": .string(Base64URL.encode(exponent))]) == .noKey)
        }
        let even = try bytes(.rs256, "n").dropLast() + [0]
        #expect(try flaw(.rs256, ["n": .string(Base64URL.encode(even))]) == .noKey)
        let endless = [UInt8](repeating: 0xFF, count: 100_000)
        #expect(try flaw(.rs256, ["n": .string(Base64URL.encode(endless))]) == .noKey)
    }

    @Test("A point beside the curve is refused", arguments: [SignatureAlgorithm.es256, .es384, .es512])
    func besideTheCurve(_ algorithm: SignatureAlgorithm) throws {
        for name in ["x", "y"] {
            var coordinate = try bytes(algorithm, name)
            coordinate[coordinate.count - 1] ^= 1
            #expect(try flaw(algorithm, [name: .string(Base64URL.encode(coordinate))]) == .noKey)
            #expect(try flaw(algorithm, [name: .string(Base64URL.encode(coordinate.map { _ in 0xFF }))]) == .noKey)
        }
        let zero = JSONValue.string(Base64URL.encode(try bytes(algorithm, "x").map { _ in 0 }))
        #expect(try flaw(algorithm, ["x": zero, "y": zero]) == .noKey)
    }

    @Test("A coordinate of another length is refused, even if the sum is right")
    func lengths() throws {
        for algorithm: SignatureAlgorithm in [.es256, .es384, .es512] {
            let (x, y) = (try bytes(algorithm, "x"), try bytes(algorithm, "y"))
            let shifted: [String: JSONValue?] = [
                "x": .string(Base64URL.encode(x.dropLast())), "y": .string(Base64URL.encode([x[x.count - 1]] + y)),
            ]
            #expect(try flaw(algorithm, shifted) == .length("x"))
            #expect(try flaw(algorithm, ["y": .string(Base64URL.encode([0] + y))]) == .length("y"))
        }
        let point = try bytes(.ed25519, "x")
        #expect(try flaw(.ed25519, ["x": .string(Base64URL.encode(point + [0]))]) == .length("x"))
        #expect(try flaw(.ed25519, ["x": .string(Base64URL.encode(point.dropLast()))]) == .length("x"))
    }

    @Test("A key on another curve, or of another type, is refused")
    func otherCurves() throws {
        #expect(try flaw(.es256, ["crv": "P-384"]) == .length("x"))
        #expect(try flaw(.es256, ["crv": "secp256k1"]) == .type("secp256k1"))
        #expect(try flaw(.es256, ["crv": nil]) == .member("crv"))
        #expect(try flaw(.ed25519, ["crv": "Ed448"]) == .type("Ed448"))
        #expect(try flaw(.ed25519, ["crv": "X25519"]) == .type("X25519"))
        #expect(try flaw(.ed25519, ["crv": "P-256"]) == .type("P-256"))
        #expect(try flaw(.rs256, ["kty": "AKP"]) == .type("AKP"))
        #expect(try flaw(.rs256, ["kty": nil]) == .member("kty"))
        #expect(try flaw(.es256, ["alg": "ES384"]) == .algorithm("ES384"))
        #expect(try flaw(.es256, ["alg": "RS256"]) == .algorithm("RS256"))
    }

    @Test("A member that is missing or not in Base64URL is named")
    func members() throws {
        let modulus = try text(.rs256, "n")
        let half = modulus.index(modulus.startIndex, offsetBy: 100)
        for wrong: JSONValue? in [
            nil, .number(7), "", "A", .string(modulus + "=="), .string(",,\(modulus)"), .string(modulus + "\n"),
            .string("\(modulus[..<half])\r\n\(modulus[half...])"), .string("\(modulus[..<half]) \(modulus[half...])"),
        ] {
            let flaw = try flaw(.rs256, ["n": wrong])
            #expect(flaw == .member("n") && flaw?.isMistake == true)
        }
        #expect(try flaw(.rs256, ["e": nil]) == .member("e"))
        #expect(try flaw(.es256, ["y": nil]) == .member("y"))
        #expect(try flaw(.ed25519, ["x": nil]) == .member("x"))
        #expect(try flaw(.hs256, ["k": nil]) == .member("k"))
    }

    @Test("A set is read key by key, and names those that cannot be read")
    func set() throws {
        let good = JSONValue.object(try TestSigner.of(.es256).key)
        let bad = JSONValue.object(["kty": "RSA", "kid": "old", "n": ",,", "e": "AQAB"])
        let set = try #require(JSONWebKeySet(["keys": .array([.null, good, "key", bad])]))
        #expect(set.keys.map(\.algorithms) == [[.es256]])
        #expect(set.flawed.map(\.number) == [1, 3, 4])
        #expect(set.flawed.map(\.flaw) == [.member("kty"), .member("kty"), .member("n")])
        #expect(set.flawed.last?.id == "old")
        for document: [String: JSONValue] in [[:], ["keys": .null], ["keys": .object([:])], ["keys": "[]"]] {
            #expect(JSONWebKeySet(document) == nil)
        }
        let many = try #require(JSONWebKeySet(["keys": .array(Array(repeating: good, count: 101))]))
        #expect(many.keys.count == 100)
    }
}
