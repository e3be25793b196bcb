/// The identity of a keyring collection: a random name that an item in it has.
///
/// Nothing that a daemon says of a collection identifies it: one that takes another's place has the same path and name, and
/// GNOME Keyring forgets when it was created.
package struct CollectionMark: Sendable, Hashable {
    /// The name: 16 hexadecimal digits.
    package let text: String

    /// Creates a mark from a random number.
    package init(_ number: UInt64) {
        let digits = String(number, radix: 16)
        text = String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Reads a mark; nil if the text is something else.
    package init?(_ text: String) {
        guard text.utf8.count == 16, text.allSatisfy({ $0.isHexDigit && $0.isASCII }) else { return nil }
        self.text = text
    }
}

/// The state of a collection that is known by its mark.
package enum CollectionPresence: Sendable, Hashable {
    /// The daemon has it, and its records can be read.
    case present
    /// The daemon has it, and it is locked.
    case locked
    /// The daemon does not have it, or does not show what is in it.
    case absent
}

/// A store whose collections can be recognized later.
package protocol CollectionMarking: RecordStore {
    /// Returns the mark of the collection that holds a record, or that it would be written to. Marks the collection if it
    /// has none.
    func mark(for key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> CollectionMark

    /// Requests whether the collection that holds a record, which is about to be deleted, still has its mark: the user may
    /// have deleted it, and others would take the deletion for another collection.
    ///
    /// - Returns: A function that waits for the answer, and marks the collection again if necessary.
    func keep(_ mark: CollectionMark, of key: RecordKey, by deadline: Deadline) -> () -> Void

    /// Looks for the collection with a mark.
    func presence(of mark: CollectionMark, by deadline: Deadline) throws(RecordStoreError) -> CollectionPresence

    /// Returns what could bring back a collection that is absent, in the user's terms.
    func traces(by deadline: Deadline) -> CollectionTraces
}

/// The places where an absent collection may be.
package struct CollectionTraces: Sendable, Hashable {
    /// The directory with the files of the daemon's collections; nil if it is unknown.
    package var directory: String?
    /// The paths of files there that the daemon does not use.
    package var files: [String] = []
    /// The labels of collections that are locked.
    package var locked: [String] = []

    package init(directory: String? = nil, files: [String] = [], locked: [String] = []) {
        (self.directory, self.files, self.locked) = (directory, files, locked)
    }

    /// The actions that may bring the collection back, as the beginning of a sentence's list.
    package var remedy: String {
        var ways: [String] = []
        if !locked.isEmpty {
            ways.append("unlock \(locked.map { "\"\($0)\"" }.joined(separator: ", ")), which may have the user")
        }
        if !files.isEmpty {
            ways.append("put the former keyring back in its place: \(files.joined(separator: ", "))")
        } else if let directory {
            ways.append("restore the former keyring's file in \(directory)")
        } else {
            ways.append("open the former keyring again")
        }
        return ways.joined(separator: ", or ")
    }
}
