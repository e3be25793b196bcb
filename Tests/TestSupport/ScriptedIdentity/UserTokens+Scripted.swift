package import FoundationEssentials
package import SharedAuth

extension UserTokens {
    /// Tokens that show whose they are.
    package static func scripted(
        _ uid: String,
        _ name: String,
        lasting lifetime: TimeInterval = 3600,
        from now: Date = Date()
    ) -> UserTokens {
        UserTokens(
            idToken: "\(uid)/id/\(name)",
            refreshToken: "\(uid)/refresh/\(name)",
            expirationDate: now.addingTimeInterval(lifetime)
        )
    }
}
