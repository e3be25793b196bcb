package import DesktopSupport
package import SharedAuthRecords

/// The sessions in the slots of a project.
package struct StoredSessions: Sendable {
    private let store: any RecordStore
    private let project: String

    package init(in store: any RecordStore, project: String) {
        (self.store, self.project) = (store, project)
    }

    /// Returns whether a slot has the session of these tokens. Blocks until the store responds.
    ///
    /// True also if the slots cannot be read: a session that nobody ends does less harm than one that ends in use.
    package func mayContain(_ tokens: UserTokens, by deadline: Deadline) -> Bool {
        guard store is any RecordListing else { return false }
        guard
            let records = try? store.listRecords(
                ofProject: project,
                instance: nil,
                kind: UserSlots.recordKind,
                by: deadline
            )
        else { return true }
        return records.contains { record in
            guard let users = try? record.stored.content(UserRecord.init(decoding:)) else { return false }
            return users.accounts.contains { $0.tokens.areOfSession(of: tokens) }
        }
    }
}

extension UserTokens {
    /// Returns whether others are of the same session: they have the same refresh token, or without any the same access
    /// token, as some servers return for each sign-in.
    func areOfSession(of other: UserTokens) -> Bool {
        if refreshToken != nil || other.refreshToken != nil { return refreshToken == other.refreshToken }
        return accessTokens.contains { one in other.accessTokens.contains { $0.token == one.token } }
    }
}

extension AuthCredential.Content {
    /// The tokens of the session that the credential carries, if there is one.
    package var tokens: UserTokens? {
        guard case .oauth(let content) = self else { return nil }
        return UserTokens(
            refreshToken: content.refreshToken,
            accessTokens: content.accessToken.map { [$0] } ?? []
        )
    }
}
