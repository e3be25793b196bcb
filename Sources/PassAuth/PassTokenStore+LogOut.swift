internal import SecretService

extension PassTokenStore {
    /// Logs the person out: of every programmer and every provider, in every app of the group.
    ///
    /// Tokens, authorizations, metadata and preauthorizations are void in one write, and deleted afterwards; should the
    /// process die meanwhile, the next configuration deletes them. What earlier layouts hold is not imported any more.
    /// Nothing else goes: neither device identity nor client registration.
    ///
    /// A damaged index is set aside. As nobody knows any more where it had what, that is void and stays where it is, until
    /// its programmer signs in with the same provider again.
    /// - Throws: what kept the store from being written; then the person is still signed in.
    public func logOut() throws(PassStoreError) { try logOut(for: nil, deadline) }

    /// Logs the person out; where the index is damaged, what it had of a programmer goes too.
    func logOut(for requestor: RequestorConfiguration?, _ deadline: Deadline) throws(PassStoreError) {
        let wasDamaged = try records.updateIndexEvenIfDamaged(deadline) { $0.logOut() }
        sweep(nil, deadline)
        if let requestor, wasDamaged { sweep(places(of: requestor), deadline) }
    }

    /// Deletes what is stored and does not count, in these places or in all. What cannot be deleted now waits for the next
    /// time: it is void already.
    func sweep(_ places: [String]?, _ deadline: Deadline) {
        // Under the index's lock, so that no sign-in is between its bucket and the index.
        try? records.updateIndex(deadline) { index throws(PassStoreError) in
            for place in places ?? index.buckets.flatMap(StoreIndex.places) where !index.isInUse(place) {
                try records.update(records.key(place), deadline, ifDamaged: .setAside(nil)) { (bucket: inout Bucket?) in
                    bucket = nil
                }
            }
            if places == nil { index.forgetEmptyBuckets() }
        }
    }
}
