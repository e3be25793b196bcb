internal import SharedAuth

extension PassTokenStore {
    /// Logs the person out: of every programmer and every TV provider, in every app of the group.
    ///
    /// Tokens, authorizations, metadata and preauthorizations are void in one write, and deleted afterwards; should the
    /// process die meanwhile, the next configuration deletes them. What earlier layouts hold is not imported any more,
    /// unless ``Options/importCondition`` says otherwise. Nothing else is deleted: neither device identity nor client
    /// registration.
    ///
    /// A damaged index is no obstacle. What it listed is deleted too, and so is what was ever set aside because it
    /// could not be read: nothing readable is left.
    /// - Throws: what kept the store from being written; then the person is still signed in.
    public func logOut() throws(PassStoreError) { try logOut(for: nil, by: deadline) }

    /// Deletes the tokens of the device that a session's token was issued to, as Pass says that this is another device.
    func discardTokens(ofDeviceIn session: PassSession) throws(PassStoreError) {
        try discard { $0.device == session.token.fingerprint }
    }

    /// Ends a session that Pass says has ended. A token that another programmer shares stays: it is the other's. The
    /// programmer then counts as signed out until a TV provider is chosen.
    func discard(_ session: PassSession) throws(PassStoreError) {
        if session.isShared { return try select(nil, for: session.requestor) }
        try discard { $0.place == session.place && $0.number == session.number }
    }

    private func discard(where condition: (StoreIndex.Entry) -> Bool) throws(PassStoreError) {
        let deadline = deadline
        for store in layouts {
            let gone = try store.records.updateIndex(by: deadline) { index in
                let gone = index.entries.filter(condition)
                _ = index.removeEntries(where: gone.contains)
                return gone
            }
            if !gone.isEmpty { store.sweep(gone.map(\.place), by: deadline) }
        }
    }

    /// Logs the person out; where the index is damaged, what it had of a programmer is deleted too.
    func logOut(for requestor: RequestorConfiguration?, by deadline: Deadline) throws(PassStoreError) {
        for store in layouts {
            let wasDamaged = try store.records.updateIndexEvenIfDamaged(by: deadline) { $0.logOut(evenIfEmpty: $1) }
            if let requestor, wasDamaged { store.sweep(store.places(of: requestor), by: deadline) }
            store.sweepAfterLogOut(by: deadline)
        }
    }

    /// Deletes whatever a log-out leaves: all that the index knows of, all that it forgot, and all that was set aside.
    func sweepAfterLogOut(by deadline: Deadline) {
        // A store that cannot list what it has is swept by what was remembered.
        let forgotten = (try? records.storedPlaces(by: deadline)) ?? []
        sweep(nil, and: forgotten, by: deadline)
        try? records.discardSetAside(by: deadline)
    }

    /// Deletes what is stored and does not count, in these places or in all. What cannot be deleted now waits for the
    /// next time: it is void already.
    func sweep(_ places: [String]?, and others: Set<String> = [], by deadline: Deadline) {
        // Under the index's lock, so that no sign-in is between its bucket and the index.
        try? records.updateIndex(by: deadline) { index throws(PassStoreError) in
            let known = places ?? index.buckets.flatMap(StoreIndex.places)
            var left: Set<String> = []
            for place in Set(known).union(others) where !index.isInUse(place) {
                do throws(PassStoreError) {
                    try remove(place, by: deadline)
                } catch {
                    // One that a newer version wrote stays, and blocks no other.
                    guard error.isOfOneRecord else { throw error }
                    left.insert(place)
                }
            }
            if places == nil { index.forgetEmptyBuckets(except: left) }
        }
    }

    /// Deletes a bucket and its pages, the pages first: while it exists, they are found.
    private func remove(_ place: String, by deadline: Deadline) throws(PassStoreError) {
        try records.update(records.key(place), by: deadline, ifDamaged: .discard, readAs: .unreadable) {
            (bucket: inout Bucket?) throws(PassStoreError) in
            for page in bucket?.pagePlaces(in: place) ?? [] {
                try records.update(records.key(page), by: deadline, ifDamaged: .discard) {
                    (page: inout AuthorizationPage?) in page = nil
                }
            }
            bucket = nil
        }
    }
}
