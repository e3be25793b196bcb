internal import SharedAuth

/// The search of a store whose index is lost.
extension PassRecords {
    /// Lists a bucket outside the index before its first use, if the store cannot list its own records.
    func remember(_ bucket: String, by deadline: Deadline) throws(PassStoreError) {
        if lister?.listsKinds == true { return }
        try update(bucketsKey, by: deadline, ifDamaged: .discard) { (buckets: inout [String]?) in
            if buckets?.contains(bucket) != true { buckets = ((buckets ?? []) + [bucket]).sorted() }
        }
    }

    /// Returns every place that may hold a record, whether the index lists it or not.
    func storedPlaces(by deadline: Deadline) throws(PassStoreError) -> Set<String> {
        guard let lister, lister.listsKinds else { return try rememberedPlaces(by: deadline) }
        return Set(try storedKinds(lister, by: deadline).compactMap(place(ofKind:)))
    }

    /// Deletes all records that the store set aside: damaged ones, parts of which may still be readable.
    func discardSetAside(by deadline: Deadline) throws(PassStoreError) {
        guard let lister else { return }
        var names: Set<String> = ["index", "buckets"]
        if lister.listsKinds {
            names.formUnion(try storedKinds(lister, by: deadline).compactMap(original(ofKind:)))
        } else {
            for place in try rememberedPlaces(by: deadline) {
                names.insert(place)
                names.formUnion(Bucket.unreadable.pagePlaces(in: place))
            }
        }
        do {
            try lister.discardSetAside(of: names.sorted().map(key), by: deadline)
        } catch {
            throw PassStoreError(error)
        }
    }

    private var lister: (any RecordListing)? { store as? any RecordListing }

    private var bucketsKey: RecordKey { key("buckets") }

    private func rememberedPlaces(by deadline: Deadline) throws(PassStoreError) -> Set<String> {
        let buckets: [String]? = try content("buckets", by: deadline)
        return Set((buckets ?? []).flatMap(StoreIndex.places))
    }

    private func storedKinds(_ lister: any RecordListing, by deadline: Deadline) throws(PassStoreError) -> Set<String> {
        do {
            return try lister.kinds(beginningWith: "\(prefix).", like: indexKey, by: deadline)
        } catch {
            throw PassStoreError(error)
        }
    }

    /// Returns the place of the bucket that a record's kind names: of the bucket itself, a page or a copy; nil for
    /// other records.
    private func place(ofKind kind: String) -> String? {
        let parts = kind.dropFirst(prefix.count + 1).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].count == 32, ["0", "1"].contains(parts[1]) else { return nil }
        return "\(parts[0]).\(parts[1])"
    }

    /// Returns the name of the record that a copy was set aside from; nil if it is not such a copy.
    private func original(ofKind kind: String) -> String? {
        guard let mark = kind.firstRange(of: RecordKey.setAsideMark) else { return nil }
        return String(kind[..<mark.lowerBound].dropFirst(prefix.count + 1))
    }
}
