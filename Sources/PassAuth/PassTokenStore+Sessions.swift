internal import SecretService

extension PassTokenStore {
    /// The session of a programmer; nil when it is not signed in.
    ///
    /// Its own token comes first, then the newest that another programmer shares. Only a token counts that may be used now:
    /// not expired, of a provider that the programmer works with, issued to this device.
    /// - Throws: `damaged`, `newerSchema`, or what kept the store from being read.
    public func session(of requestor: RequestorConfiguration) throws(PassStoreError) -> PassSession? {
        try session(of: requestor, deadline)
    }

    func session(of requestor: RequestorConfiguration, _ deadline: Deadline) throws(PassStoreError) -> PassSession? {
        var index = try records.storedIndex(deadline)
        while let present = index {
            if let session = try session(of: requestor, in: present, deadline) { return session }
            let newer = try records.storedIndex(deadline)
            if newer == present { return nil }
            index = newer
        }
        return nil
    }

    /// The provider that a programmer's apps on this device are with, signed in or not.
    ///
    /// - Throws: as ``session(of:)``.
    public func selection(of requestor: String) throws(PassStoreError) -> ProviderSelection {
        let selection = try records.index(deadline).selection(of: requestor, on: device.fingerprint)
        return ProviderSelection(mvpd: selection?.mvpd, canAuthenticate: selection?.canAuthenticate ?? false)
    }

    /// Notes which provider a programmer is with from now on, or with nil that the choice was taken back.
    ///
    /// Tokens stay. With nil the programmer counts as signed out until a provider is chosen again; a token of that one then
    /// signs it in. Until a sign-in goes well, ``ProviderSelection/canAuthenticate`` is off; so choosing the provider again
    /// is also what to do when a sign-in failed.
    /// - Throws: as ``session(of:)``, and nothing changes.
    public func select(_ mvpd: String?, for requestor: String) throws(PassStoreError) {
        try records.updateIndex(deadline) { index in
            index.select(mvpd, canAuthenticate: false, requestor: requestor, device: device.fingerprint)
        }
    }

    /// What the session's programmer has learned in it.
    ///
    /// - Throws: `sessionEnded`, or as ``session(of:)``.
    public func cache(of session: PassSession) throws(PassStoreError) -> SessionCache {
        let deadline = deadline
        try checkLiving(session, deadline)
        guard let bucket = try records.bucket(session.place, deadline), bucket.holds(session) else { throw .ended }
        return bucket.caches[session.requestor] ?? SessionCache()
    }

    /// Changes what the session's programmer has learned in it, in one write, while no other process can. Authorizations
    /// that have expired leave at the occasion.
    ///
    /// - Returns: what `change` returns.
    /// - Throws: `sessionEnded`, or as ``session(of:)``; then nothing changes.
    @discardableResult
    public func updateCache<Value>(
        of session: PassSession,
        _ change: (inout SessionCache) -> Value
    ) throws(PassStoreError) -> Value {
        let deadline = deadline
        // Should somebody log out after this look, the bucket is void already when it is written, and swept as it is.
        try checkLiving(session, deadline)
        let key = records.key(session.place)
        return try records.update(key, deadline) { (bucket: inout Bucket?) throws(PassStoreError) in
            guard let found = bucket, found.holds(session) else { throw .ended }
            let before = found.caches[session.requestor] ?? SessionCache()
            var cache = before
            let value = change(&cache)
            if cache == before { return value }
            cache.dropAuthorizations(expiredAt: options.now())
            bucket?.caches[session.requestor] = cache
            return value
        }
    }

    /// The session of a programmer, as an index has it; nil also where a bucket has left since the index was read.
    func session(
        of requestor: RequestorConfiguration,
        in index: StoreIndex,
        _ deadline: Deadline
    ) throws(PassStoreError) -> PassSession? {
        let device = device.fingerprint
        for entry in index.candidates(for: requestor, on: device, options.mismatchPolicy, at: options.now()) {
            guard let bucket = try records.bucket(entry.place, deadline), bucket.belongs(to: entry, of: index) else {
                continue
            }
            let token = try read(bucket, at: entry)
            if verdict(on: token, for: requestor) != .valid { continue }
            return PassSession(
                requestor: requestor.id,
                token: token,
                place: entry.place,
                epoch: index.epoch,
                number: entry.number
            )
        }
        return nil
    }

    /// Whether this store's device may use a token for a programmer now.
    func verdict(on token: AuthenticationToken, for requestor: RequestorConfiguration) -> TokenVerdict {
        token.verdict(
            at: options.now(),
            fingerprint: options.mismatchPolicy == .off ? token.fingerprint : device.fingerprint,
            allowedIssuers: requestor.mvpds,
            // Of a provider that is not worked with, that is what is to be said.
            requestor: requestor.integration(with: token.mvpd)?.isShared == false ? requestor.id : nil,
            publicKey: options.publicKey
        )
    }

    func read(_ bucket: Bucket, at entry: StoreIndex.Entry) throws(PassStoreError) -> AuthenticationToken {
        guard let token = try? AuthenticationToken(fragment: bucket.token), token.mvpd == entry.mvpd,
            token.requestor == entry.requestor
        else { throw .damaged(records.key(entry.place), "its token is none, or another's") }
        return token
    }

    private func checkLiving(_ session: PassSession, _ deadline: Deadline) throws(PassStoreError) {
        let index = try records.index(deadline)
        let isLiving = index.entries.contains { $0.place == session.place && $0.number == session.number }
        if index.epoch != session.epoch || !isLiving { throw .ended }
    }
}

extension Bucket {
    fileprivate func holds(_ session: PassSession) -> Bool { epoch == session.epoch && number == session.number }
}

extension PassStoreError {
    fileprivate static var ended: PassStoreError {
        PassStoreError(.sessionEnded, "The session has ended. Read the programmer's session again.")
    }
}
