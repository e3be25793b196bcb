internal import SecretService

extension PassTokenStore {
    /// Every token that stands in the store, whatever programmer and device it was issued to and valid or not, the oldest
    /// sign-in first: for looking around. Who is signed in is ``session(of:)``'s to say.
    ///
    /// Costs a read for each token. A token that leaves meanwhile may be missing.
    /// - Throws: as ``session(of:)``.
    public func contents() throws(PassStoreError) -> [StoredToken] {
        let deadline = deadline
        let index = try records.index(deadline)
        var contents: [StoredToken] = []
        for entry in index.entries.sorted(by: { $0.number < $1.number }) {
            guard let bucket = try records.bucket(entry.place, deadline), bucket.belongs(to: entry, of: index) else {
                continue
            }
            contents.append(
                StoredToken(token: try read(bucket, at: entry), isShared: entry.isShared, caches: bucket.caches)
            )
        }
        return contents
    }

    /// How a programmer works with the providers that tokens are stored of, as far as these tell, by the providers' ids: for
    /// looking around. An app knows it from Pass.
    ///
    /// Costs one read; what cannot be understood in a token is no obstacle.
    /// - Throws: as ``session(of:)``.
    public func storedIntegrations(of requestor: String) throws(PassStoreError) -> [ProviderIntegration] {
        let entries = try records.index(deadline).entries
        return Set(entries.map(\.mvpd)).sorted().map { mvpd in
            let isKept = entries.contains { $0.mvpd == mvpd && $0.requestor == requestor && !$0.isShared }
            return ProviderIntegration(mvpd: mvpd, isPerRequestor: isKept)
        }
    }
}
