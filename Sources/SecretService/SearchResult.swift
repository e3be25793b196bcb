/// The items that a search found, in the order in which the provider named them.
public struct SearchResult: Sendable, Hashable {
    /// Items whose secrets can be read now.
    public let unlocked: [SecretItem]
    /// Items that match but cannot be read before they are unlocked.
    public let locked: [SecretItem]

    package init(unlocked: [SecretItem], locked: [SecretItem]) {
        self.unlocked = unlocked
        self.locked = locked
    }
}
