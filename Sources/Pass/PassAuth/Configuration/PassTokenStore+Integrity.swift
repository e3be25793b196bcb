internal import SharedAuth

extension PassTokenStore {
    /// The results of the integrity check.
    struct IntegrityFinding {
        var hasCleared = false
        var unreadable: [UnreadableToken] = []
    }

    /// Checks the store as the options require.
    func checkIntegrity(
        for requestor: RequestorConfiguration,
        by deadline: Deadline
    ) throws(PassStoreError) -> IntegrityFinding {
        switch options.integrityCheck {
        case .none:
            return IntegrityFinding()
        case .clear:
            try logOut(for: requestor, by: deadline)
            return IntegrityFinding(hasCleared: true)
        case .all:
            do throws(PassStoreError) {
                try probe(by: deadline)
                var found = IntegrityFinding()
                for store in layouts { found.unreadable += try store.removeDamagedTokens(by: deadline) }
                return found
            } catch {
                guard error.code == .damaged else { throw error }
                try logOut(for: requestor, by: deadline)
                return IntegrityFinding(hasCleared: true)
            }
        }
    }

    /// Reads every token. Removes the damaged ones and returns them, together with those of a newer version, which
    /// stay.
    private func removeDamagedTokens(by deadline: Deadline) throws(PassStoreError) -> [UnreadableToken] {
        let index = try records.index(by: deadline)
        var unreadable: [UnreadableToken] = []
        var damaged: [StoreIndex.Entry] = []
        for entry in index.entries {
            do throws(PassStoreError) {
                guard let bucket = try bucket(of: entry, in: index, by: deadline) else { continue }
                _ = try read(bucket, at: entry)
            } catch {
                guard error.isOfOneRecord else { throw error }
                unreadable.append(UnreadableToken(entry, error))
                if error.code == .damaged { damaged.append(entry) }
            }
        }
        if damaged.isEmpty { return unreadable }
        try records.updateIndex(by: deadline) { current in
            // A new sign-in may have replaced them since.
            if current.epoch == index.epoch { _ = current.removeEntries(where: damaged.contains) }
        }
        sweep(damaged.map(\.place), by: deadline)
        return unreadable
    }

    /// Writes a record, reads it back and deletes it, under a key that is never used again.
    private func probe(by deadline: Deadline) throws(PassStoreError) {
        let key = records.key("probe.\(String(UInt64.random(in: .min ... .max), radix: 16))")
        let payload = Array("SharedAuth".utf8)
        do throws(RecordStoreError) {
            try store.update(key, by: deadline) { _ in .write(payload) }
            let isKept =
                if case .whole(let record) = try store.read(key, by: deadline) { record.payload == payload } else {
                    false
                }
            try store.update(key, by: deadline) { _ in .delete }
            if isKept { return }
        } catch {
            throw PassStoreError(error)
        }
        throw .damaged(key, "the keyring did not store it unchanged")
    }
}
