internal import SecretService
internal import SharedAuth

extension PassTokenStore {
    /// Checks the store as the options say; answers whether it was cleared.
    func checkIntegrity(for requestor: RequestorConfiguration, _ deadline: Deadline) throws(PassStoreError) -> Bool {
        switch options.integrityCheck {
        case .none:
            return false
        case .clear:
            try logOut(for: requestor, deadline)
            return true
        case .all:
            do throws(PassStoreError) {
                try probe(deadline)
                let index = try records.index(deadline)
                for entry in index.entries {
                    guard let bucket = try records.bucket(entry.place, deadline), bucket.belongs(to: entry, of: index)
                    else { continue }
                    _ = try read(bucket, at: entry)
                }
                return false
            } catch {
                guard error.code == .damaged else { throw error }
                try logOut(for: requestor, deadline)
                return true
            }
        }
    }

    /// Writes something, reads it back and deletes it: under a key that no other process has, nor any other time.
    private func probe(_ deadline: Deadline) throws(PassStoreError) {
        let key = records.key("probe.\(String(UInt64.random(in: .min ... .max), radix: 16))")
        let payload = Array("SharedAuth".utf8)
        do throws(RecordStoreError) {
            try store.update(key, within: deadline) { _ in .write(payload) }
            let isKept =
                if case .whole(let record) = try store.read(key, within: deadline) { record.payload == payload } else {
                    false
                }
            try store.update(key, within: deadline) { _ in .delete }
            if isKept { return }
        } catch {
            throw PassStoreError(error)
        }
        throw .damaged(key, "the keyring did not keep it as it was")
    }
}
