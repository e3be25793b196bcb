internal import SharedAuth

extension PassTokenStore {
    /// Reads the cache of the session's programmer.
    ///
    /// Costs two reads, and one for each existing page of authorizations, at most sixteen; ``authorization(for:in:)``
    /// costs three.
    /// - Throws: ``PassStoreError`` with code `sessionEnded`, or the errors of ``session(of:)``.
    public func cache(of session: PassSession) throws(PassStoreError) -> SessionCache {
        let deadline = deadline
        let store = part(with: session)
        let bucket = try store.livingBucket(of: session, by: deadline)
        return try store.caches(of: bucket, at: session.place, by: deadline)[session.requestor] ?? SessionCache()
    }

    /// Returns the authorization of a resource in a session; nil if it is missing or cannot be decoded.
    ///
    /// Use its ``DeviceBoundToken/verdict(at:fingerprint:allowedIssuers:requestor:publicKey:)`` to check whether it is
    /// still valid.
    /// - Throws: ``PassStoreError`` with code `sessionEnded`, or the errors of ``session(of:)``.
    public func authorization(
        for resource: String,
        in session: PassSession
    ) throws(PassStoreError) -> AuthorizationToken? {
        let deadline = deadline
        let store = part(with: session)
        let bucket = try store.livingBucket(of: session, by: deadline)
        let cache = store.cache(of: session.requestor, bucket, at: session.place, by: deadline)
        let found = cache.authorization(for: resource)
        try cache.stored.check()
        return found
    }

    /// Changes the cache of the session's programmer under its bucket's lock. Authorizations that have been expired for
    /// 30 days are also deleted; if there is no room for another one, the first to expire is deleted.
    ///
    /// Writes only what has changed: one record for metadata and preauthorization, and one for each changed sixteenth
    /// of the authorizations (two for the first authorization in it). If the process dies between two writes, the
    /// earlier ones remain.
    /// - Returns: The value that `change` returns.
    /// - Throws: ``PassStoreError`` with code `sessionEnded`, `full` for data that no keyring can hold, or the errors
    ///   of ``session(of:)``; then nothing changes, except by writes made before the failure.
    @discardableResult
    public func updateCache<Value>(
        of session: PassSession,
        _ change: (inout SessionCache) -> Value
    ) throws(PassStoreError) -> Value {
        let deadline = deadline
        let store = part(with: session)
        // If a log-out follows this check, the writes are void, and swept like all void records.
        try store.checkLiving(session, by: deadline)
        let update = try store.updateBucket(of: session, by: deadline, change)
        // Its pages could not be written before the bucket listed them.
        if !update.isComplete { try store.writeAnnouncedPages(update.changes, of: session, by: deadline) }
        return update.value
    }

    /// The result of an update of a bucket.
    private struct CacheUpdate<Value> {
        let value: Value
        let changes: [Int: [String: StoredAuthorization?]]
        let isComplete: Bool
    }

    private func updateBucket<Value>(
        of session: PassSession,
        by deadline: Deadline,
        _ change: (inout SessionCache) -> Value
    ) throws(PassStoreError) -> CacheUpdate<Value> {
        let key = records.key(session.place)
        return try records.update(key, by: deadline) { (stored: inout Bucket?) throws(PassStoreError) in
            guard var bucket = stored, bucket.holds(session) else { throw .ended }
            var cache = cache(of: session.requestor, bucket, at: session.place, by: deadline)
            let value = change(&cache)
            try cache.stored.check()
            let changes = Dictionary(grouping: cache.changes) { AuthorizationPage.index(of: $0.key) }
                .mapValues { Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0.value) }) }
            let isAnnounced = changes.keys.allSatisfy((bucket.pages ?? []).contains)
            if isAnnounced {
                for (index, changes) in changes {
                    try write(changes, of: session.requestor, onto: index, of: bucket, at: session.place, by: deadline)
                }
                // Authorizations that older versions stored in the bucket are now on pages.
                bucket.setCache(cache.withoutAuthorizations, of: session.requestor)
            } else {
                bucket.announce(changes.keys)
                var rest = cache.withoutAuthorizations
                rest.keepLegacy(of: bucket.caches[session.requestor])
                bucket.setCache(rest, of: session.requestor)
            }
            stored = bucket
            return CacheUpdate(value: value, changes: changes, isComplete: isAnnounced)
        }
    }

    private func writeAnnouncedPages(
        _ changes: [Int: [String: StoredAuthorization?]],
        of session: PassSession,
        by deadline: Deadline
    ) throws(PassStoreError) {
        let key = records.key(session.place)
        try records.update(key, by: deadline) { (stored: inout Bucket?) throws(PassStoreError) in
            guard var bucket = stored, bucket.holds(session) else { throw .ended }
            for (index, changes) in changes {
                try write(changes, of: session.requestor, onto: index, of: bucket, at: session.place, by: deadline)
            }
            if let cache = bucket.caches[session.requestor] {
                bucket.setCache(cache.withoutAuthorizations, of: session.requestor)
            }
            stored = bucket
        }
    }

    /// Writes one page. The caller holds the bucket's lock, so no log-out sweeps between the read and the write.
    private func write(
        _ changes: [String: StoredAuthorization?],
        of requestor: String,
        onto index: Int,
        of bucket: Bucket,
        at place: String,
        by deadline: Deadline
    ) throws(PassStoreError) {
        let key = records.key(AuthorizationPage.place(index, of: place))
        let empty = AuthorizationPage(epoch: bucket.epoch, number: bucket.number)
        try records.update(key, by: deadline, ifDamaged: .discard) {
            (stored: inout AuthorizationPage?) throws(PassStoreError) in
            var page = stored.flatMap { $0.belongs(to: bucket) ? $0 : nil } ?? empty
            page.take(changes, of: requestor, at: options.now())
            var excess = try records.excess(of: page, in: key)
            while excess > 0, page.makeRoom(excess, for: requestor, except: changes.keys) {
                excess = try records.excess(of: page, in: key)
            }
            stored = page == empty ? stored.map { _ in empty } : page
        }
    }

    /// Reads the caches of a bucket's token, by programmer.
    func caches(
        of bucket: Bucket,
        at place: String,
        by deadline: Deadline
    ) throws(PassStoreError) -> [String: SessionCache] {
        var pages: [AuthorizationPage] = []
        for index in bucket.pages ?? [] {
            if let page = try page(index, of: bucket, at: place, by: deadline) { pages.append(page) }
        }
        let owners = Set(bucket.caches.keys).union(pages.flatMap(\.authorizations.keys))
        return Dictionary(
            uniqueKeysWithValues: owners.map { owner in
                let own = pages.reduce(into: [:]) { all, page in
                    all.merge(page.authorizations[owner] ?? [:]) { one, _ in one }
                }
                return (owner, (bucket.caches[owner] ?? SessionCache()).with(AuthorizationPages(own)))
            }
        )
    }

    /// Returns the cache of a programmer with a bucket's token; a page is read on first use.
    private func cache(
        of requestor: String,
        _ bucket: Bucket,
        at place: String,
        by deadline: Deadline
    ) -> SessionCache {
        let pages = AuthorizationPages(Set(bucket.pages ?? [])) { index throws(PassStoreError) in
            try page(index, of: bucket, at: place, by: deadline)?.authorizations[requestor] ?? [:]
        }
        return (bucket.caches[requestor] ?? SessionCache()).with(pages)
    }

    /// Returns a page; nil if it is missing or belongs to an earlier session. A damaged page counts as missing: its
    /// content only saves calls, and the next write replaces it.
    private func page(
        _ index: Int,
        of bucket: Bucket,
        at place: String,
        by deadline: Deadline
    ) throws(PassStoreError) -> AuthorizationPage? {
        do throws(PassStoreError) {
            let page: AuthorizationPage? = try records.content(AuthorizationPage.place(index, of: place), by: deadline)
            return page.flatMap { $0.belongs(to: bucket) ? $0.known(at: options.now()) : nil }
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    private func livingBucket(of session: PassSession, by deadline: Deadline) throws(PassStoreError) -> Bucket {
        try checkLiving(session, by: deadline)
        guard let bucket = try records.bucket(session.place, by: deadline), bucket.holds(session) else { throw .ended }
        return bucket
    }

    private func checkLiving(_ session: PassSession, by deadline: Deadline) throws(PassStoreError) {
        let index = try records.index(by: deadline)
        let isLiving = index.entries.contains { $0.place == session.place && $0.number == session.number }
        if index.epoch != session.epoch || !isLiving { throw .ended }
    }
}

extension PassStoreError {
    fileprivate static var ended: PassStoreError {
        PassStoreError(.sessionEnded, "The session has ended. Read the programmer's session again.")
    }
}
