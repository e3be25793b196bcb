import Foundation
import SharedAuth

@testable import LocalIdentity

/// Calls with only one of a user's tokens, as made by a client that has nothing else.
extension LocalIdentity {
    func refreshTokens(_ refreshToken: String?) async throws(AuthError) -> UserTokens {
        try await refresh(
            UserTokens(idToken: nil, refreshToken: refreshToken, expirationDate: .distantPast),
            scopes: []
        )
    }

    func profile(idToken: String?) async throws(AuthError) -> UserProfile {
        try await profile(for: Self.bearer(of: idToken))
    }

    func updateProfile(idToken: String?, _ change: UserProfileChange) async throws(AuthError) -> UserProfile {
        try await updateProfile(change, for: Self.bearer(of: idToken)).profile
    }

    func deleteAccount(idToken: String?) async throws(AuthError) {
        try await deleteAccount(for: Self.bearer(of: idToken))
    }

    static func bearer(of idToken: String?) -> UserTokens {
        UserTokens(idToken: idToken, refreshToken: nil, expirationDate: .distantPast)
    }
}
