public import FoundationEssentials

/// A change of the profile: what is nil stays as it is; an inner nil clears the field.
public struct UserProfileChange: Sendable, Hashable {
    /// The new display name.
    public var displayName: String??
    /// The new photo.
    public var photoURL: URL??

    /// Makes a change.
    public init(displayName: String?? = nil, photoURL: URL?? = nil) {
        self.displayName = displayName
        self.photoURL = photoURL
    }
}
