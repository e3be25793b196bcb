internal import SharedAuth

extension PassTokenStore {
    /// Logs the user out of every programmer and every TV provider, in every app of the group.
    ///
    /// One write makes tokens, authorizations, metadata and preauthorizations void; they are deleted afterwards. If the
    /// process dies in between, the next configuration deletes them. Tokens of earlier layouts are no longer imported,
    /// unless ``Options/importCondition`` allows it. Nothing else is deleted: neither device identity nor client
    /// registration.
    ///
    /// A damaged index does not prevent the log-out. The records that it listed are deleted too, and so are all records
    /// that were ever set aside because they could not be read: nothing readable is left.
    /// - Throws: ``PassStoreError`` if the store could not be written; then the user is still signed in. In
    ///   ``StorageGeneration/singleSlot`` the tokens in the app's private file may already be void.
    public func logOut() throws(PassStoreError) { try logOut(for: nil, by: deadline) }

    /// Deletes the tokens of the device that a session's token was issued to, because Pass reports that this is another
    /// device.
    func discardTokens(ofDeviceIn session: PassSession) throws(PassStoreError) {
        try discard { $0.device == session.token.fingerprint }
    }

    /// Ends a session that Pass reports as ended. A token that another programmer shares stays, because it belongs to
    /// that programmer. This programmer then counts as signed out until a TV provider is selected.
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

    /// Logs the user out; if the index is damaged, the records that it listed for a programmer are deleted too.
    func logOut(for requestor: RequestorConfiguration?, by deadline: Deadline) throws(PassStoreError) {
        for store in layouts {
            let wasDamaged = try store.records.updateIndexEvenIfDamaged(by: deadline) { $0.logOut(evenIfEmpty: $1) }
            if let requestor, wasDamaged { store.sweep(store.places(of: requestor), by: deadline) }
            store.sweepAfterLogOut(by: deadline)
        }
    }

    /// Deletes everything that a log-out leaves: the records that the index lists, those that it lost, and those that
    /// were set aside.
    func sweepAfterLogOut(by deadline: Deadline) {
        // A store that cannot list its records is swept using the remembered buckets.
        let forgotten = (try? records.storedPlaces(by: deadline)) ?? []
        sweep(nil, and: forgotten, by: deadline)
        try? records.discardSetAside(by: deadline)
    }

    /// Deletes the void records in these places, or in all places. Records that cannot be deleted now are left for the
    /// next sweep: they are already void.
    func sweep(_ places: [String]?, and others: Set<String> = [], by deadline: Deadline) {
        // Under the index's lock, so that no sign-in is between writing its bucket and the index.
        try? records.updateIndex(by: deadline) { index throws(PassStoreError) in
            let known = places ?? index.buckets.flatMap(StoreIndex.places)
            var left: Set<String> = []
            for place in Set(known).union(others) where !index.isInUse(place) {
                do throws(PassStoreError) {
                    try remove(place, by: deadline)
                } catch {
                    // A record that a newer version wrote stays, and blocks no other.
                    guard error.isOfOneRecord else { throw error }
                    left.insert(place)
                }
            }
            if places == nil { index.forgetEmptyBuckets(except: left) }
        }
    }

    /// Deletes a bucket and its pages. The pages are deleted first, because the bucket lists them.
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
