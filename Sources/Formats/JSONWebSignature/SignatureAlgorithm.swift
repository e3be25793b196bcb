/// An algorithm of signatures (RFC 7518 §3.1, RFC 8037 §3.1). `none` is not one.
package enum SignatureAlgorithm: Sendable, CaseIterable {
    case rs256, rs384, rs512
    case ps256, ps384, ps512
    case es256, es384, es512
    case ed25519
    /// A shared secret: whoever can check a signature can make one.
    case hs256

    /// The algorithms whose signatures a public key checks. With others, an attacker could use a public key as the
    /// secret.
    package static let ofPublicKeys = Set(allCases).subtracting([.hs256])

    /// Returns the algorithm that a name means.
    package init?(named name: String) {
        guard let algorithm = Self.allCases.first(where: { $0.names.contains(name) }) else { return nil }
        self = algorithm
    }

    /// The name to write: the one that all readers know.
    package var name: String { names[0] }

    /// The names to read. RFC 9864 gives `EdDSA` with this curve a name of its own.
    private var names: [String] {
        switch self {
        case .rs256: ["RS256"]
        case .rs384: ["RS384"]
        case .rs512: ["RS512"]
        case .ps256: ["PS256"]
        case .ps384: ["PS384"]
        case .ps512: ["PS512"]
        case .es256: ["ES256"]
        case .es384: ["ES384"]
        case .es512: ["ES512"]
        case .ed25519: ["EdDSA", "Ed25519"]
        case .hs256: ["HS256"]
        }
    }
}
