package import FoundationEssentials
package import SharedAuth

extension IdentityGrant {
    /// A user of this uid with tokens of this name.
    package static func scripted(
        _ uid: String,
        _ token: String = "1",
        anonymous: Bool = false,
        tenantID: String? = nil,
        lasting lifetime: TimeInterval = 3600,
        from now: Date = Date()
    ) -> IdentityGrant {
        IdentityGrant(
            profile: UserProfile(uid: uid, isAnonymous: anonymous, tenantID: tenantID),
            tokens: .scripted(uid, token, lasting: lifetime, from: now),
            isNewUser: true
        )
    }
}
