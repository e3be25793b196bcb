extension MachineID {
    /// Where a machine's id comes from.
    public enum Source: Sendable, Hashable {
        /// This file holds it.
        case file(String)
        /// The machine has none; a random one that was kept stands in for it.
        case standIn
    }

    /// What to tell a person or a log about the id; nil when all is well.
    public var warning: String? {
        switch source {
        case .file:
            nil
        case .standIn:
            "This machine has no machine id, so a random one is kept in its place. Whoever loses it is signed out. To give "
                + "the machine an id, run systemd-machine-id-setup."
        }
    }
}
