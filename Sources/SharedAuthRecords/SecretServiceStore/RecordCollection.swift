/// Which collection of the Secret Service new records go to.
///
/// A record that there is already stays where it is, and is found wherever it is: apps that are configured differently
/// share their records all the same. A collection of one's own keeps the person's default collection small, and can be locked
/// by itself; it keeps nobody out while it is open. `Auth.createCollection(forAccessGroup:timeout:)` makes it.
public enum RecordCollection: Sendable, Hashable {
    /// The person's default collection, usually unlocked at login.
    case standard
    /// The collection of this label, for all records.
    case named(String)
    /// For the records of an access group the collection whose label is the group's name; for all others the default
    /// collection.
    case namedByGroup

    /// The label of the collection for a record; nil: the default collection.
    func label(for key: RecordKey) -> String? {
        switch (self, key.scope) {
        case (.named(let label), _): label
        case (.namedByGroup, .group(let group)): group
        case (.standard, _), (.namedByGroup, .app), (.namedByGroup, .project): nil
        }
    }
}
