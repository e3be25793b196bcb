import Crypto
import Foundation
import SharedAuth

/// A JSON Web Token that is decoded and verified without the library that made it.
struct SignedToken {
    struct Unreadable: Error {}

    let header: [String: JSONValue]
    let claims: [String: JSONValue]
    private let message: Data
    private let signature: Data

    init(_ text: String?) throws {
        let text = text ?? ""
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { throw Unreadable() }
        header = try JSONDecoder().decode([String: JSONValue].self, from: Self.bytes(parts[0]))
        claims = try JSONDecoder().decode([String: JSONValue].self, from: Self.bytes(parts[1]))
        message = Data("\(parts[0]).\(parts[1])".utf8)
        signature = try Self.bytes(parts[2])
    }

    /// Returns whether the key that the header names, one of a JSON Web Key Set, made the signature.
    func isSigned(byOneOf keySet: String) throws -> Bool {
        let set = try JSONDecoder().decode([String: [[String: String]]].self, from: Data(keySet.utf8))
        guard
            let key = set["keys"]?.first(where: { $0["kid"] == header["kid"]?.string }),
            let x = key["x"], let y = key["y"]
        else { return false }
        let publicKey = try P256.Signing.PublicKey(rawRepresentation: Self.bytes(x) + Self.bytes(y))
        return publicKey.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: message)
    }

    static func bytes(_ base64URL: String) throws -> Data {
        var text = base64URL.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        guard let data = Data(base64Encoded: text) else { throw Unreadable() }
        return data
    }
}
