internal import FoundationEssentials
public import SharedAuth

extension LocalIdentity {
    /// Returns the current profile of the account that the tokens belong to.
    ///
    /// - Throws: `userTokenExpired`; `invalidUserToken` if the token is malformed or was not issued here;
    ///   `userNotFound` if the account was deleted; `userDisabled`.
    public func profile(for tokens: UserTokens) async throws(AuthError) -> UserProfile {
        let uid = try await uid(of: tokens)
        return try await records.shard(of: uid).activeAccount(uid).profile
    }

    /// Updates the account's display name or photo.
    ///
    /// - Throws: `quotaExceeded` for a name above 1,024 bytes, a photo URL above 2,048 bytes, or if there is no room
    ///   left; the errors of `profile(for:)`.
    public func updateProfile(
        _ change: UserProfileChange,
        for tokens: UserTokens
    ) async throws(AuthError) -> AccountChange {
        if case .set(let name) = change.displayName, name.utf8.count > 1024 {
            throw AuthError(.quotaExceeded, "The display name is longer than 1,024 bytes. Choose a shorter one.")
        }
        if case .set(let photo) = change.photoURL, photo.absoluteString.utf8.count > 2048 {
            throw AuthError(.quotaExceeded, "The photo's URL is longer than 2,048 bytes. Choose a shorter one.")
        }
        let uid = try await uid(of: tokens)
        return try await records.update(accountOf: uid) { shard throws(AuthError) in
            var account = try shard.activeAccount(uid)
            account.displayName = change.displayName.applied(to: account.displayName)
            account.photoURL = change.photoURL.applied(to: account.photoURL)
            shard[uid] = account
            return AccountChange(profile: account.profile)
        }
    }

    /// Deletes the account and all its sessions.
    ///
    /// - Throws: The errors of `profile(for:)`.
    public func deleteAccount(for tokens: UserTokens) async throws(AuthError) {
        let uid = try await uid(of: tokens)
        let account = try await records.update(accountOf: uid) { shard throws(AuthError) in
            let account = try shard.activeAccount(uid)
            shard[uid] = nil
            return account
        }
        if let email = account.email { await release(email, of: account) }
    }

    /// Disables an account or enables it again. A disabled account can neither sign in nor refresh, but keeps its
    /// sessions.
    ///
    /// - Throws: `userNotFound`.
    package func setDisabled(_ isDisabled: Bool, uid: String) async throws(AuthError) {
        try await records.update(accountOf: uid) { shard throws(AuthError) in
            var account = try shard.knownAccount(uid)
            account.isDisabled = isDisabled
            shard[uid] = account
        }
    }
}
