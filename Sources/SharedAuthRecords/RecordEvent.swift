/// What a store tells those who watch a key.
public enum RecordEvent: Sendable, Hashable {
    /// The record may have changed: look again.
    case changed
    /// The store was locked or unlocked: look again.
    case lockChanged
    /// The provider of secrets went away.
    case providerVanished
    /// A provider of secrets is there (again): look again.
    case providerAppeared
    /// The watch is over, because the store's connection is; watch again to go on.
    case closed
}
