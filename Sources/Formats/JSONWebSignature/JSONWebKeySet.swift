package import Formats

/// Keys as an issuer publishes them (RFC 7517 §5).
package struct JSONWebKeySet: Sendable, Hashable {
    /// A key of the set that checks no signatures here.
    package struct Flawed: Sendable, Hashable {
        /// The number of the key in the set, from 1 on.
        package let number: Int
        package let id: String?
        package let flaw: KeyFlaw
    }

    /// The maximum number of keys that are read.
    package static let greatestCount = 100

    package private(set) var keys: [JSONWebKey] = []
    package private(set) var flawed: [Flawed] = []

    /// Reads a set; nil if the document is not one.
    package init?(_ document: [String: JSONValue]) {
        guard case .array(let values)? = document["keys"] else { return nil }
        for (place, value) in values.prefix(Self.greatestCount).enumerated() {
            do throws(KeyFlaw) {
                keys.append(try JSONWebKey(value))
            } catch {
                flawed.append(Flawed(number: place + 1, id: value["kid"]?.string, flaw: error))
            }
        }
    }

    /// Returns the keys that may have signed a token: those for its algorithm, without those of another label. Only a
    /// signature can tell which did.
    package func keys(for token: CompactJWS, _ algorithm: SignatureAlgorithm) -> [JSONWebKey] {
        keys.filter { $0.algorithms.contains(algorithm) && $0.hasLabel(of: token) }
    }

    /// Returns the set without the keys of other issuers.
    package func keys(of isIssuer: (String) -> Bool) -> JSONWebKeySet {
        var set = self
        set.keys.removeAll { key in key.issuer.map { !isIssuer($0) } ?? false }
        return set
    }

    /// Returns whether one of these keys signed a token.
    package func hasSigner(of token: CompactJWS, _ algorithm: SignatureAlgorithm) -> Bool {
        keys(for: token, algorithm).contains { $0.isSigner(of: token) }
    }
}

extension JSONWebKey {
    /// Returns whether the token and the key have the same label, or one of them has none.
    func hasLabel(of token: CompactJWS) -> Bool { id == nil || token.keyID == nil || id == token.keyID }
}
