internal import SharedAuth

extension PassTokenStore {
    /// Returns the session of a programmer; nil if it is signed out.
    ///
    /// The programmer's own token has precedence, then the newest that another programmer shares. A token must be valid
    /// now: not expired, issued to this device, and from a TV provider that the programmer works with; if one was
    /// selected, from that one. A token that cannot be decoded is skipped if another one signs the programmer in.
    /// - Throws: ``PassStoreError`` with code `damaged` or `newerSchema` if the store, or the only token for the
    ///   programmer, cannot be decoded; or the error that kept the store from being read.
    public func session(of requestor: RequestorConfiguration) throws(PassStoreError) -> PassSession? {
        try session(of: requestor, by: deadline)
    }

    /// Returns the states of a programmer: the current one, and a new one whenever it changes, in this process or
    /// another one of the group, or because a token expires.
    ///
    /// Each state was current when it was read; states are in order, and the last one is always delivered. The sequence
    /// ends with the connection to the keyring, after a state `failed`; request another sequence to continue. Release
    /// the sequence to stop watching.
    /// - Throws: ``PassStoreError`` if the store could not be watched.
    public func states(of requestor: RequestorConfiguration) throws(PassStoreError) -> AsyncStream<PassSessionState> {
        try reads(.changes, of: requestor)
    }

    /// Returns the state of a programmer's session at each read.
    ///
    /// A session that begins and ends between two reads is not found. A caller that knows of such a session from
    /// elsewhere, such as the one that stored it, requests all reads and compares the states itself.
    func reads(
        _ filter: SessionFeed.Filter,
        of requestor: RequestorConfiguration
    ) throws(PassStoreError) -> AsyncStream<PassSessionState> {
        let (states, continuation) = AsyncStream.makeStream(of: PassSessionState.self)
        let feed = SessionFeed(of: self, requestor, filter, continuation)
        continuation.onTermination = { _ in feed.end() }
        try feed.begin()
        return states
    }

    func session(of requestor: RequestorConfiguration, by deadline: Deadline) throws(PassStoreError) -> PassSession? {
        guard let own = perRequestorStore else { return try sessionHere(of: requestor, by: deadline) }
        return try own.session(of: requestor, by: deadline) { () throws(PassStoreError) in
            try sessionHere(of: try choiceKept(by: requestor, by: deadline), by: deadline)
        }
    }

    /// Returns the session of a programmer, using an index of this store that has already been read. The index of the
    /// app's private file, if there is one, is read.
    func session(
        of requestor: RequestorConfiguration,
        inSlot index: StoreIndex,
        by deadline: Deadline
    ) throws(PassStoreError) -> PassSession? {
        guard let own = perRequestorStore else { return try session(of: requestor, in: index, by: deadline) }
        return try own.session(of: requestor, by: deadline) { () throws(PassStoreError) in
            try session(of: try choiceKept(by: requestor, by: deadline), in: index, by: deadline)
        }
    }

    /// Returns the session in this store of the layout, else the one in the rest of the layout.
    private func session(
        of requestor: RequestorConfiguration,
        by deadline: Deadline,
        else rest: () throws(PassStoreError) -> PassSession?
    ) throws(PassStoreError) -> PassSession? {
        let flaw: PassStoreError
        do throws(PassStoreError) {
            if let session = try sessionHere(of: requestor, by: deadline) { return session }
            return try rest()
        } catch {
            guard error.isOfOneRecord else { throw error }
            flaw = error
        }
        if let session = try rest() { return session }
        throw flaw
    }

    private func sessionHere(
        of requestor: RequestorConfiguration,
        by deadline: Deadline
    ) throws(PassStoreError) -> PassSession? {
        var index = try records.storedIndex(by: deadline)
        while let present = index {
            if let session = try session(of: requestor, in: present, by: deadline) { return session }
            let newer = try records.storedIndex(by: deadline)
            if newer == present { return nil }
            index = newer
        }
        return nil
    }

    /// Returns the session of a programmer that an index lists; nil also if its bucket was deleted since the index was
    /// read.
    func session(
        of requestor: RequestorConfiguration,
        in index: StoreIndex,
        by deadline: Deadline
    ) throws(PassStoreError) -> PassSession? {
        var flaw: PassStoreError?
        let viewer = viewer
        for entry in index.candidates(for: requestor, to: viewer, at: options.now()) {
            do throws(PassStoreError) {
                guard let bucket = try bucket(of: entry, in: index, by: deadline) else { continue }
                let token = try read(bucket, at: entry)
                // Entries of earlier versions do not name the client.
                if !viewer.clients.contains(token.profileClient) { continue }
                if verdict(on: token, for: requestor) != .valid { continue }
                return session(of: requestor, token, entry, epoch: index.epoch)
            } catch {
                guard error.isOfOneRecord else { throw error }
                flaw = flaw ?? error
            }
        }
        if let flaw { throw flaw }
        return nil
    }

    func session(
        of requestor: RequestorConfiguration,
        _ token: AuthenticationToken,
        _ entry: StoreIndex.Entry,
        epoch: UInt64
    ) -> PassSession {
        PassSession(
            requestor: requestor.id,
            token: token,
            place: entry.place,
            epoch: epoch,
            number: entry.number,
            generation: options.generation
        )
    }

    /// Returns whether this store's device may use a token for a programmer now.
    func verdict(on token: AuthenticationToken, for requestor: RequestorConfiguration) -> TokenVerdict {
        token.verdict(
            at: options.now(),
            fingerprint: options.mismatchPolicy == .off ? token.fingerprint : device.fingerprint,
            allowedIssuers: requestor.mvpds,
            // If the programmer does not work with the TV provider, the verdict has to name that reason.
            requestor: requestor.integration(with: token.mvpd)?.isShared == false ? requestor.id : nil,
            publicKey: options.publicKey
        )
    }

    /// Returns the bucket of a token that an index lists; nil if it was deleted since the index was read.
    func bucket(
        of entry: StoreIndex.Entry,
        in index: StoreIndex,
        by deadline: Deadline
    ) throws(PassStoreError) -> Bucket? {
        guard let bucket = try records.bucket(entry.place, by: deadline), bucket.belongs(to: entry, of: index) else {
            return nil
        }
        return bucket
    }

    func read(_ bucket: Bucket, at entry: StoreIndex.Entry) throws(PassStoreError) -> AuthenticationToken {
        guard let token = try? AuthenticationToken(fragment: bucket.token), token.mvpd == entry.mvpd,
            token.requestor == entry.requestor
        else { throw .damaged(records.key(entry.place), "it does not hold the token that the index lists") }
        return token
    }
}
