internal import JSONWebSignature
internal import SharedAuth

/// Decides which signatures of ID tokens count. Labels only narrow the choice of keys: a label may be missing, and the
/// signature decides.
package enum SignatureRules {
    /// The setting for an administrator to make if ID tokens are signed in a way that cannot be checked.
    package static let remedy =
        "Have the provider's administrator set the algorithm that signs the ID tokens of this client to RS256 or ES256."

    /// Returns the algorithm that a name means, if it may sign ID tokens.
    static func algorithm(named name: String) -> SignatureAlgorithm? {
        SignatureAlgorithm(named: name).flatMap { SignatureAlgorithm.ofPublicKeys.contains($0) ? $0 : nil }
    }

    /// Returns the algorithm of a token, if it may sign ID tokens.
    ///
    /// - Parameter announced: The algorithms that the issuer says it uses; nil if it does not say.
    /// - Throws: `invalidCredential`.
    static func algorithm(
        of token: IDToken,
        among announced: [String]? = nil
    ) throws(AuthError) -> SignatureAlgorithm {
        let algorithm: SignatureAlgorithm
        do throws(SignatureFlaw) {
            algorithm = try token.signed.algorithm(among: SignatureAlgorithm.ofPublicKeys)
        } catch {
            throw Self.error(error)
        }
        if let announced, !announced.contains(where: { Self.algorithm(named: $0) == algorithm }) {
            throw IDTokenRules.refused(
                "is signed with \(algorithm.name), which the provider's discovery document does not list",
                remedy: "Have the provider's administrator add \(algorithm.name) to "
                    + "id_token_signing_alg_values_supported, or sign with an algorithm that is there."
            )
        }
        return algorithm
    }

    /// Returns the error for a token that none of the issuer's keys signed.
    static func refusal(of token: IDToken, _ algorithm: SignatureAlgorithm, by set: JSONWebKeySet) -> AuthError {
        let (name, id) = (algorithm.name, token.signed.keyID)
        if !set.keys(for: token.signed, algorithm).isEmpty {
            return IDTokenRules.refused("is not signed with a key of this issuer")
        }
        let flawed = set.flawed.filter { $0.flaw.isMistake && ($0.id == nil || id == nil || $0.id == id) }
        if let key = flawed.first {
            return IDTokenRules.refused(
                "is signed with \(name), and \(key.text)",
                remedy: "Have the provider's administrator correct the key set (jwks_uri)."
            )
        }
        if set.keys.isEmpty {
            return IDTokenRules.refused(
                "is signed with \(name), and the provider publishes no key to check it",
                remedy: remedy
            )
        }
        return IDTokenRules.refused(
            id.map { "is signed with \(name) and the key \($0.quotedName), which the provider does not publish" }
                ?? "is signed with \(name), for which the provider publishes no key",
            remedy: "Have the provider's administrator publish the key (jwks_uri)."
        )
    }

    private static func error(_ flaw: SignatureFlaw) -> AuthError {
        switch flaw {
        case .extensions: IDTokenRules.refused("uses extensions of its signature that are not supported (crit, b64)")
        case .algorithm(nil): IDTokenRules.refused("does not name the algorithm of its signature", remedy: remedy)
        case .algorithm("none"?): IDTokenRules.refused("is not signed (none)", remedy: remedy)
        case .algorithm(let name?) where name.hasPrefix("HS"):
            IDTokenRules.refused(
                "is signed with \(name.quotedName), a secret that the client shares, which an app on a desktop cannot keep",
                remedy: remedy
            )
        case .algorithm(let name?):
            IDTokenRules.refused("is signed with \(name.quotedName), which is not supported", remedy: remedy)
        }
    }
}

extension JSONWebKeySet.Flawed {
    /// The key and what is wrong with it, as a part of a sentence.
    var text: String {
        let key = id.map { "the key \($0.quotedName)" } ?? "key number \(number)"
        let reason =
            switch flaw {
            case .otherPurpose: "is not for signatures"
            case .type(let type): "is of the type \(type.quotedName), which is not supported"
            case .algorithm(let name): "is labelled \(name.quotedName), which has keys of another type"
            case .member(let name) where name == "kty" || name == "crv": "cannot be read: it has no \(name)"
            case .member(let name): "cannot be read: its \(name) is missing or not in Base64URL"
            case .length(let name): "cannot be read: its \(name) has the wrong length"
            case .short(let bits): "is too short with \(bits) bits"
            case .noKey: "cannot be read: its numbers are not a key"
            }
        return "\(key) of the provider's key set \(reason)"
    }
}
