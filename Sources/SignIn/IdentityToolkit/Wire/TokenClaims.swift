internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The claims of a Firebase ID token. The signature is not checked, as in Firebase's own libraries: the token arrived
/// over TLS.
struct TokenClaims: Sendable {
    private let claims: JSONObject
    private let firebase: JSONObject?

    /// Parses an ID token; nil if the text is not a JSON Web Token.
    init?(_ idToken: String) {
        guard let members = CompactJWS(idToken)?.claims else { return nil }
        claims = JSONObject(members: members)
        firebase = JSONObject(claims.members["firebase"])
    }

    var uid: String? { claims.string("user_id") ?? claims.string("sub") }

    /// True if the session began with an anonymous sign-in.
    var isAnonymous: Bool { firebase?.string("sign_in_provider") == "anonymous" }

    /// The token's lifetime in seconds, by its issuer's clock.
    var lifetime: Double? { claims.lifetime }

    /// Returns the user's profile, as far as the token contains it.
    ///
    /// - Parameter providers: The sign-in methods, if a response has them in full.
    func profile(providers: [UserInfo]?) -> UserProfile? {
        guard let uid else { return nil }
        let providers = providers ?? identities
        return UserProfile(
            uid: uid,
            isAnonymous: isAnonymous && providers.isEmpty,
            email: claims.string("email"),
            isEmailVerified: claims.bool("email_verified") ?? false,
            displayName: claims.string("name"),
            phoneNumber: claims.string("phone_number"),
            photoURL: claims.photoURL("picture"),
            tenantID: firebase?.string("tenant"),
            providerData: providers
        )
    }

    private var identities: [UserInfo] {
        guard let identities = JSONObject(firebase?.members["identities"]) else { return [] }
        return identities.members.keys.sorted().compactMap { kind -> UserInfo? in
            guard let id = identities.strings(kind)?.first else { return nil }
            return switch kind {
            case "email":
                firebase?.string("sign_in_provider") == "password"
                    ? UserInfo(providerID: EmailAuthProvider.id, uid: id, email: id) : nil
            case "phone": UserInfo(providerID: kind, uid: id, phoneNumber: id)
            default: UserInfo(providerID: kind, uid: id)
            }
        }
    }
}
