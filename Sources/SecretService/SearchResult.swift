/// The items that a search found, in the order in which the provider named them.
public struct SearchResult: Sendable, Hashable {
    /// Items whose secrets can be read now.
    public let unlocked: [Item]
    /// Items that match but cannot be read before they are unlocked.
    public let locked: [Item]

    package init(unlocked: [Item], locked: [Item]) {
        self.unlocked = unlocked
        self.locked = locked
    }
}
