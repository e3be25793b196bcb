internal import JSONWebSignature

/// The keys that an OpenID provider publishes.
package struct KeyOffer: Sendable {
    /// The number of keys that check signatures.
    package let count: Int
    /// The algorithms whose signatures the keys check.
    package let algorithms: [String]
    /// The algorithms of ID tokens, as the discovery document lists them, for which there is no key.
    package let algorithmsWithoutKey: [String]
    /// The keys that their publisher must mend, and what is wrong with them: each a sentence without its full stop.
    package let mistakes: [String]

    /// - Parameter announced: The algorithms that the discovery document lists.
    init(_ set: JSONWebKeySet, _ announced: [String]?) {
        let keys = set.keys.filter { !$0.algorithms.isDisjoint(with: SignatureAlgorithm.ofPublicKeys) }
        let checked = keys.reduce(into: Set()) { $0.formUnion($1.algorithms) }
        count = keys.count
        algorithms = SignatureAlgorithm.allCases.filter(checked.contains).map(\.name)
        algorithmsWithoutKey = (announced ?? []).filter { name in
            SignatureRules.algorithm(named: name).map { !checked.contains($0) } ?? false
        }
        mistakes = set.flawed.filter(\.flaw.isMistake).map(\.text)
    }
}
