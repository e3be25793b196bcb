internal import SharedAuth

extension RecordStoreError {
    /// What an `Auth` hears when the token store failed.
    init(_ error: PassStoreError) {
        if let error = error.underlying as? RecordStoreError {
            self = error
        } else {
            self.init(.failed, error.message, underlying: error)
        }
    }
}
