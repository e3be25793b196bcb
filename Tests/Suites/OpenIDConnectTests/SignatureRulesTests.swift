import Crypto
import JSONWebSignature
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import OpenIDConnect

/// Tests which signatures of ID tokens count, and what the error says about the others.
struct SignatureRulesTests {
    let world = IssuerFixture()

    /// Signs in, and returns the error.
    private func refusal(_ change: (inout ScriptedIssuer.Script) -> Void) async -> AuthError? {
        world.issuer.change(change)
        do throws(AuthError) {
            _ = try await world.browser(world.openID()).credential()
            return nil
        } catch {
            #expect(error.code == .invalidCredential)
            return error
        }
    }

    @Test(
        "A key without a label checks a token with one, and the other way round",
        arguments: ["key", "token", "both"]
    )
    func labels(_ missing: String) async throws {
        world.issuer.change { script in
            if missing != "token" {
                script.changeKeys = { keys in
                    keys = keys.map { key in .object(key.members.filter { !["kid", "alg", "use"].contains($0.key) }) }
                }
            }
            if missing != "key" { script.changeHeader = { $0["kid"] = nil } }
        }
        _ = try await world.browser(world.openID()).credential()
    }

    @Test("The signature decides among several keys without labels, also beside broken ones")
    func severalKeys() async throws {
        world.issuer.change { script in
            script.publishedKeys = [.init("a"), .init("b"), script.keys[0], .init("c")]
            script.changeHeader = { $0["kid"] = nil }
            script.changeKeys = { keys in
                keys = keys.map { .object($0.members.filter { $0.key != "kid" }) }
                keys.insert(.object(["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"]), at: 0)
            }
        }
        _ = try await world.browser(world.openID()).credential()
    }

    @Test("A key with another label is refused, although the signature is its own")
    func otherLabel() async {
        let error = await refusal { $0.changeHeader = { $0["kid"] = "other" } }
        #expect(error?.message.contains(#"the key "other", which the provider does not publish"#) == true)
        #expect(error?.remedy?.contains("jwks_uri") == true)
    }

    @Test(
        "Both names of Ed25519 are one, in the token, the key and the discovery document",
        arguments: ["EdDSA", "Ed25519"],
        ["EdDSA", "Ed25519", nil]
    )
    func ed25519(_ name: String, _ label: String?) async throws {
        let key = Curve25519.Signing.PrivateKey()
        world.issuer.change { script in
            script.ed25519 = key
            script.changeHeader = { $0["alg"] = .string(name) }
            script.changeMetadata = {
                $0["id_token_signing_alg_values_supported"] = .array([.string(name == "EdDSA" ? "Ed25519" : "EdDSA")])
            }
            script.changeKeys = { keys in
                var members: [String: JSONValue] = [
                    "kty": "OKP", "crv": "Ed25519", "kid": "first",
                    "x": .string(Base64URL.encode(key.publicKey.rawRepresentation)),
                ]
                members["alg"] = label.map(JSONValue.string)
                keys = [.object(members)]
            }
        }
        // Its at_hash is of SHA-512, which is checked.
        _ = try await world.browser(world.openID()).credential()
    }

    @Test("An error names the algorithm, and says what the administrator changes", arguments: ["HS256", "HS512"])
    func sharedSecret(_ name: String) async {
        let error = await refusal { script in
            script.changeHeader = { $0["alg"] = .string(name) }
            script.changeKeys = { $0 = [] }
        }
        #expect(error?.message.contains("is signed with \"\(name)\", a secret that the client shares") == true)
        #expect(error?.remedy?.contains("set the algorithm that signs the ID tokens of this client to RS256") == true)
    }

    @Test("An unsigned token, and an unknown algorithm, are named")
    func unknown() async {
        let unsigned = await refusal { $0.changeHeader = { $0["alg"] = "none" } }
        #expect(unsigned?.message.contains("is not signed (none)") == true)
        let unknown = await refusal { $0.changeHeader = { $0["alg"] = "ES256K" } }
        #expect(unknown?.message.contains("is signed with \"ES256K\", which is not supported") == true)
        let absent = await refusal { $0.changeHeader = { $0["alg"] = nil } }
        #expect(absent?.message.contains("does not name the algorithm") == true)
        for error in [unsigned, unknown, absent] { #expect(error?.remedy == SignatureRules.remedy) }
        let critical = await refusal { $0.changeHeader = { $0["crit"] = .array(["exp"]) } }
        #expect(critical?.message.contains("extensions") == true)
    }

    @Test("An algorithm that the discovery document does not list is named")
    func unlisted() async {
        let error = await refusal { script in
            script.changeMetadata = { $0["id_token_signing_alg_values_supported"] = .array(["RS256"]) }
        }
        #expect(
            error?.message.contains("is signed with ES256, which the provider's discovery document does not") == true
        )
        #expect(error?.remedy?.contains("id_token_signing_alg_values_supported") == true)
    }

    @Test("A key that cannot be read is named, with the member", arguments: [",,", "\n", "=="])
    func unreadableKey(_ text: String) async {
        let error = await refusal { script in
            script.changeKeys = { keys in
                keys = keys.map { key in
                    var members = key.members
                    members["x"] = members["x"]?.string.map { .string(text + $0) }
                    return .object(members)
                }
            }
        }
        #expect(error?.message.contains(#"the key "first" of the provider's key set cannot be read: its x"#) == true)
        #expect(error?.remedy?.contains("jwks_uri") == true)
    }

    @Test("An empty key set is named, with what the administrator changes")
    func noKeys() async {
        let error = await refusal { $0.changeKeys = { $0 = [] } }
        #expect(error?.message.contains("is signed with ES256, and the provider publishes no key") == true)
        #expect(error?.remedy == SignatureRules.remedy)
    }

    @Test("A short RSA key is named with its length")
    func shortKey() throws {
        let modulus = Base64URL.encode([UInt8](repeating: 0xFF, count: 128))
        let key = JSONValue.object(["kty": "RSA", "kid": "k", "n": .string(modulus), "e": "AQAB"])
        let set = try #require(JSONWebKeySet(["keys": .array([key])]))
        #expect(set.flawed.map(\.text) == [#"the key "k" of the provider's key set is too short with 1024 bits"#])
    }

    @Test("What doctor reads of a key set: the algorithms, and the keys to mend")
    func offer() throws {
        let good = ScriptedIssuer.SigningKey("first").json
        let set = try #require(
            JSONWebKeySet([
                "keys": .array([
                    good, .object(["kty": "RSA", "use": "enc"]), .object(["kty": "RSA", "n": "!", "e": "AQAB"]),
                    .object(["kty": "oct", "k": .string(Base64URL.encode([UInt8](repeating: 1, count: 32)))]),
                ])
            ])
        )
        let offer = KeyOffer(set, ["RS256", "ES256", "HS256", "nonsense"])
        #expect(offer.count == 1 && offer.algorithms == ["ES256"] && offer.algorithmsWithoutKey == ["RS256"])
        #expect(
            offer.mistakes.map { $0.hasPrefix("key number 3 of the provider's key set cannot be read: its n") } == [
                true
            ]
        )
    }
}

extension JSONValue {
    fileprivate var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
}
