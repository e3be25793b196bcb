/// Something that happened in the Secret Service.
///
/// Providers differ in what they report, how often, and under which kind: GNOME Keyring reports a replaced item as created
/// and a secret set in place not at all; KeePassXC repeats itself dozens of times. Take each as "look again".
public enum SecretServiceChange: Sendable, Hashable {
    /// What happened to an item or collection, in the provider's words.
    public enum Kind: Sendable, Hashable {
        /// It is new, or was replaced.
        case created
        /// It is not what it was.
        case changed
        /// It is gone.
        case deleted
    }

    /// An item changed; `path` is nil where the provider did not say which.
    case item(path: String?, Kind)
    /// A collection changed; `path` is nil where the provider did not say which.
    case collection(path: String?, Kind)
    /// A collection was locked or unlocked; `locked` is nil where the provider did not say which of the two.
    case lockChanged(collection: String, locked: Bool?)
    /// A provider took the bus name.
    case providerAppeared(uniqueName: String)
    /// The provider is gone from the bus.
    case providerVanished
    /// The connection to the bus is closed; nothing follows.
    case busClosed
}
