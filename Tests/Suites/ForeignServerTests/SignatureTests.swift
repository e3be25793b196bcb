import Crypto
import CryptoExtras
import Foundation
import JSONWebSignature
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

/// Exchanges tokens with joserfc, another implementation of RFC 7515, which `Servers/signatures` calls.
@Suite("Signatures of another implementation")
struct SignatureTests {
    private let command: [String]

    init() throws {
        guard let python = ProcessInfo.processInfo.environment["FOREIGN_PYTHON"] else {
            try Test.cancel("joserfc is not installed. Tests/Scripts/foreign-servers installs it.")
        }
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        command = [python, folder.appending(path: "Servers/signatures").path]
    }

    private func run(_ verb: String, _ input: JSONValue = .null) throws -> [JSONValue] {
        let result = try ProcessResult(
            of: command + [verb],
            environment: ProcessInfo.processInfo.environment,
            input: input.text,
            files: TestDirectory.newPath()
        )
        guard case .array(let values)? = JSONValue(bytes: result.standardOutput.utf8) else {
            Issue.record("\(result.standardError)")
            return []
        }
        return values
    }

    @Test("A token of each algorithm is verified, and with no key of another")
    func theirs() throws {
        let entries = try run("sign").map { entry in
            (
                name: try #require(entry["algorithm"]?.string), key: try JSONWebKey(#require(entry["key"])),
                token: try #require(entry["token"]?.string)
            )
        }
        #expect(Set(entries.compactMap { SignatureAlgorithm(named: $0.name) }) == Set(SignatureAlgorithm.allCases))
        #expect(entries.count == SignatureAlgorithm.allCases.count + 1)
        for entry in entries {
            #expect(entry.key.token(entry.token)?.payload == Array("there".utf8), "\(entry.name)")
            for other in entries where other.key != entry.key { #expect(other.key.token(entry.token) == nil) }
        }
    }

    @Test("A token of each key that signs is verified there")
    func ours() throws {
        let secret = SymmetricKey(size: .bits256)
        let keys = [
            SigningKey(.rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048)), id: "here"),
            SigningKey(.p256(P256.Signing.PrivateKey()), id: "here"),
            SigningKey(.ed25519(Curve25519.Signing.PrivateKey()), id: "here"),
            SigningKey(.secret(secret), id: "here"),
        ]
        let entries = try keys.map { key in
            var json = key.verifier.json
            if case .object(var members) = json, members["kty"] == .string("oct") {
                members["k"] = .string(unsafe secret.withUnsafeBytes { unsafe Base64URL.encode($0) })
                json = .object(members)
            }
            return JSONValue.object([
                "algorithm": .string(try #require(key.verifier.algorithms.first?.name)), "key": json,
                "token": .string(try key.sign(Array("here".utf8))),
            ])
        }
        #expect(try run("verify", .array(entries)) == Array(repeating: .string("here"), count: keys.count))
    }
}
