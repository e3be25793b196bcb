/// What is checked of the store on configuration.
///
/// A store that is locked or out of reach is an error whatever is chosen here, and never wiped; nor is one that a newer
/// version wrote.
public enum IntegrityCheck: Sendable, Hashable, CaseIterable {
    /// Nothing.
    case none
    /// That the store can be written and read, and that everything in it can be understood; if not, it is cleared and the
    /// person is logged out. What was damaged is set aside in the keyring.
    case all
    /// Nothing: the store is cleared, and the person logged out, each time.
    case clear
}
