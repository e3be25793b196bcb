internal import SecretService

extension PassTokenStore {
    /// Every token that stands in the store, whatever programmer and device it was issued to and valid or not, the oldest
    /// sign-in first: for looking around. Who is signed in is ``session(of:)``'s to say.
    ///
    /// A token that cannot be understood does not hide the others: it is named in ``StoreContents/unreadable``. Costs a read
    /// for each token, and one more for each of its pages of authorizations. A token that leaves meanwhile may be missing.
    /// - Throws: as ``session(of:)``, where the store as a whole cannot be read.
    public func contents() throws(PassStoreError) -> StoreContents {
        let deadline = deadline
        var contents = StoreContents()
        for store in layouts {
            let index = try store.records.index(deadline)
            for entry in index.entries.sorted(by: { $0.number < $1.number }) {
                do throws(PassStoreError) {
                    guard let bucket = try store.bucket(of: entry, in: index, deadline) else { continue }
                    let token = try store.read(bucket, at: entry)
                    let caches = try store.caches(of: bucket, at: entry.place, deadline)
                    contents.tokens.append(StoredToken(token: token, isShared: entry.isShared, caches: caches))
                } catch {
                    guard error.isOfOneRecord else { throw error }
                    contents.unreadable.append(UnreadableToken(entry, error))
                }
            }
        }
        return contents
    }

    /// How a programmer works with the providers that tokens are stored of, as far as these tell, by the providers' ids: for
    /// looking around. An app knows it from Pass.
    ///
    /// Costs one read; what cannot be understood in a token is no obstacle.
    /// - Throws: as ``session(of:)``.
    public func storedIntegrations(of requestor: String) throws(PassStoreError) -> [ProviderIntegration] {
        let deadline = deadline
        var entries: [StoreIndex.Entry] = []
        for store in layouts { entries += try store.records.index(deadline).entries }
        return Set(entries.map(\.mvpd)).sorted().map { mvpd in
            let isKept = entries.contains { $0.mvpd == mvpd && $0.requestor == requestor && !$0.isShared }
            return ProviderIntegration(mvpd: mvpd, isPerRequestor: isKept)
        }
    }

    /// The bucket of a token that an index lists; nil where it has left since the index was read.
    func bucket(
        of entry: StoreIndex.Entry,
        in index: StoreIndex,
        _ deadline: Deadline
    ) throws(PassStoreError) -> Bucket? {
        guard let bucket = try records.bucket(entry.place, deadline), bucket.belongs(to: entry, of: index) else {
            return nil
        }
        return bucket
    }
}
