internal import SharedAuth

extension PassTokenStore {
    /// The session of a programmer; nil when it is not signed in.
    ///
    /// Its own token comes first, then the newest that another programmer shares. Only a token counts that may be used
    /// now: not expired, of a TV provider that the programmer works with, issued to this device. A token that cannot be
    /// understood is passed over where another one signs the programmer in.
    /// - Throws: `damaged` or `newerSchema` when the store, or the only token for the programmer, cannot be understood,
    ///   or what kept the store from being read.
    public func session(of requestor: RequestorConfiguration) throws(PassStoreError) -> PassSession? {
        try session(of: requestor, by: deadline)
    }

    /// Returns the store's answers about a programmer: now, and whenever they change, in this process or another of the
    /// group, or because a token expires.
    ///
    /// Each state is one that was current when it was read, in order, and the last always comes. The sequence ends when
    /// the connection to the keyring does, after a state `failed`; ask for another one to go on. Give it up to stop
    /// listening.
    /// - Throws: what kept the store from being watched.
    public func states(of requestor: RequestorConfiguration) throws(PassStoreError) -> AsyncStream<PassSessionState> {
        try reads(.changes, of: requestor)
    }

    /// The state of a programmer's session at each read.
    ///
    /// A session that came and went between two reads is found by neither. A caller that knows of it from elsewhere, such
    /// as the one that stored it, takes all reads, and compares for itself.
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

    /// The session of a programmer, where the index of this store is already read, and that of the app's own file, if
    /// it has one, is not.
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

    /// The session that this part of the layout has for a programmer, else the one that the rest of it has.
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

    /// The session of a programmer, as an index has it; nil also where a bucket was deleted since the index was read.
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

    /// Whether this store's device may use a token for a programmer now.
    func verdict(on token: AuthenticationToken, for requestor: RequestorConfiguration) -> TokenVerdict {
        token.verdict(
            at: options.now(),
            fingerprint: options.mismatchPolicy == .off ? token.fingerprint : device.fingerprint,
            allowedIssuers: requestor.mvpds,
            // Of a TV provider that is not worked with, that is what is to be said.
            requestor: requestor.integration(with: token.mvpd)?.isShared == false ? requestor.id : nil,
            publicKey: options.publicKey
        )
    }

    /// The bucket of a token that an index lists; nil where it was deleted since the index was read.
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
        else { throw .damaged(records.key(entry.place), "its token is none, or another's") }
        return token
    }
}
