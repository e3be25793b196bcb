public import SecretService

extension RecordStore {
    /// Writes `payload` if the stored revision still is `expected` (nil: if nothing is stored).
    ///
    /// - Returns: the record written, or nil when another revision was found; then nothing was written.
    public func compareAndSwap(
        _ key: RecordKey,
        expecting expected: Revision?,
        _ payload: [UInt8],
        by deadline: Deadline
    ) throws(RecordStoreError) -> Record? {
        var swapped = false
        let stored = try update(key, by: deadline) { stored in
            let found: Revision? = if case .whole(let record) = stored { record.revision } else { nil }
            if case .none = stored { swapped = expected == nil } else { swapped = found != nil && found == expected }
            return swapped ? .write(payload) : .keep
        }
        guard swapped, case .whole(let record) = stored else { return nil }
        return record
    }
}
