public import FoundationEssentials
internal import Synchronization

/// Collects changes of a user's profile, and commits them in one step (Firebase: `UserProfileChangeRequest`).
public final class UserProfileChangeRequest: Sendable {
    private let user: User
    private let change = Mutex(UserProfileChange())

    init(user: User) {
        self.user = user
    }

    /// The new display name; nil clears it.
    public var displayName: String? {
        get { change.withLock { $0.displayName } ?? user.displayName }
        set { change.withLock { $0.displayName = .some(newValue) } }
    }

    /// The new photo; nil clears it.
    public var photoURL: URL? {
        get { change.withLock { $0.photoURL } ?? user.photoURL }
        set { change.withLock { $0.photoURL = .some(newValue) } }
    }

    /// Commits what was set, at the identity provider and for every app of the slot.
    ///
    /// - Throws: as `User.reload()`.
    public func commitChanges() async throws(AuthError) {
        try await user.owningAuth().changeProfile(of: user, change.withLock { $0 })
    }

    /// As the async form; the completion is called through the app's listener executor.
    public func commitChanges(completion: (@Sendable (AuthError?) -> Void)? = nil) {
        user.complete({ completion?($1) }) { [self] _ async throws(AuthError) in try await commitChanges() }
    }
}
