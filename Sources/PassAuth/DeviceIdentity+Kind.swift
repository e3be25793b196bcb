extension DeviceIdentity {
    /// Whose view of a device an identity is.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The same for all apps of one vendor, that is, with one bundle-id prefix.
        case vendor
        /// The same for all apps on the machine.
        case machine
        /// The same for all that read it from one store, until it is reset.
        case advertising
        /// What the app chose.
        case custom
    }
}
