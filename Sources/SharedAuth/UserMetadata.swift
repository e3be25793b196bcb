public import FoundationEssentials

/// When a user's account was created and last used (Firebase: `UserMetadata`).
public struct UserMetadata: Sendable, Hashable {
    /// When the account was created.
    public let creationDate: Date?
    /// When the user last signed in.
    public let lastSignInDate: Date?
}
