/// What is checked of the store on configuration.
///
/// A store that is locked or out of reach is an error whatever is chosen here, and never wiped; nor is one that a newer
/// version wrote.
public enum IntegrityCheck: Sendable, Hashable, CaseIterable {
    /// Nothing.
    case none
    /// That the store can be written and read, and that everything in it can be understood.
    ///
    /// A token that cannot be understood leaves alone, and is named in the report; where the index cannot be understood, or the
    /// keyring does not keep what is written, the store is cleared and the person is logged out. (Adobe's own check clears the
    /// store whatever it finds damaged. Here many apps share one store, and the damage of one is not the others'.)
    case all
    /// Nothing: the store is cleared, and the person logged out, each time.
    case clear
}
