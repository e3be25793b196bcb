internal import Crypto
package import Formats

/// A key that checks signatures (RFC 7517): a public one, or a secret.
package struct JSONWebKey: Sendable {
    /// The label of the key; nil for a key without one, which fits any token.
    package let id: String?
    /// The issuer that the key signs for, where issuers of several tenants publish their keys together; nil for a key
    /// that signs for all.
    package let issuer: String?
    /// The algorithms that the key is for: those of its type, or the one of them that its label names.
    package let algorithms: Set<SignatureAlgorithm>
    /// The digest of the key alone, without its labels (RFC 7638).
    package let thumbprint: String
    let material: KeyMaterial
    private let members: [String: String]

    init(_ material: KeyMaterial, id: String?, issuer: String? = nil, for algorithms: Set<SignatureAlgorithm>) {
        self.material = material
        self.id = id
        self.issuer = issuer
        self.algorithms = algorithms
        members = material.members
        let text = JSONValue.object(members.mapValues(JSONValue.string))
        thumbprint = Base64URL.encode(SHA256.hash(data: text.bytes))
    }

    /// Reads a key.
    package init(_ value: JSONValue) throws(KeyFlaw) {
        guard value.label("use") ?? "sig" == "sig" else { throw .otherPurpose }
        if case .array(let operations)? = value["key_ops"], operations.contains(where: { $0.string?.isEmpty == false }),
            !operations.contains(.string("verify"))
        {
            throw .otherPurpose
        }
        let material = try KeyMaterial(value)
        var algorithms = material.algorithms
        if let name = value.label("alg") {
            guard let algorithm = SignatureAlgorithm(named: name) else { throw .otherPurpose }
            algorithms.formIntersection([algorithm])
            if algorithms.isEmpty { throw .algorithm(name) }
        }
        self.init(material, id: value.label("kid"), issuer: value.label("issuer"), for: algorithms)
    }

    /// The key for readers of its signatures. A secret stays out.
    package var json: JSONValue {
        var values = members
        values["k"] = nil
        values["kid"] = id
        values["use"] = "sig"
        if algorithms.count == 1 { values["alg"] = algorithms.first?.name }
        return .object(values.mapValues(JSONValue.string))
    }
}

extension JSONValue {
    /// Returns the text of an optional member; nil for an empty one, which says nothing.
    fileprivate func label(_ name: String) -> String? { self[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
}

extension JSONWebKey: Hashable {
    /// Compares labels and keys.
    package static func == (one: JSONWebKey, other: JSONWebKey) -> Bool {
        (one.id, one.issuer, one.algorithms, one.thumbprint)
            == (other.id, other.issuer, other.algorithms, other.thumbprint)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(thumbprint) }
}

/// The reason why a JSON Web Key checks no signatures here.
package enum KeyFlaw: Error, Hashable {
    /// The key is for encryption, or for signing alone.
    case otherPurpose
    /// No algorithm of this module has keys of this type or on this curve.
    case type(String)
    /// The label names an algorithm that has keys of another type.
    case algorithm(String)
    /// A member is missing, or not in Base64URL.
    case member(String)
    /// A coordinate has too many bytes or too few.
    case length(String)
    case short(bits: Int)
    /// The numbers are no key: for example, the point is not on the curve.
    case noKey

    /// True if the key would count if its publisher mended it.
    package var isMistake: Bool {
        switch self {
        case .otherPurpose, .type: false
        case .algorithm, .member, .length, .short, .noKey: true
        }
    }
}
