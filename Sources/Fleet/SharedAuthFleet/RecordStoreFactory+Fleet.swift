public import SharedAuthRecords

extension RecordStoreFactory {
    /// A fleet: the users of access groups are shared with the person's other devices, through a server that cannot
    /// read them; all other records are kept in the local store. This store is never chosen automatically.
    ///
    /// The device joins a fleet by `sharedauth fleet init` or `sharedauth fleet enrol`, or by ``Fleet``; until then,
    /// calls for access groups throw `keyringUnavailable`.
    ///
    /// - Parameter local: The store for this device's own records, its keys, and the copies of shared records.
    public static func fleet(local: RecordStoreFactory = .secretService()) -> RecordStoreFactory {
        .custom(FleetRecordStore(local: local.make()))
    }
}
