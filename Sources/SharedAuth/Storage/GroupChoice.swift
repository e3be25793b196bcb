/// An app's choice of access group, and what a switch or migration still has to do.
///
/// Choice and pending step are one file, so that they change together.
struct GroupChoice: Sendable, Hashable, Codable {
    /// What the next start has to finish.
    enum Pending: Sendable, Hashable, Codable {
        /// The switch is done but for deleting what the slot held at this revision (nil revision: whatever it holds).
        case deletion(of: Slot, revision: Revision)
        /// A user was being copied there; if the copy arrived, the switch goes on, else it never was.
        case migration(of: String, to: Slot)
    }

    /// A user who was migrated by a store that may forget what it has acknowledged: the original goes at a start that
    /// reads the copy.
    struct Original: Sendable, Hashable, Codable {
        var uid: String
        var slot: Slot
        /// What the slot held when the user was copied from it.
        var revision: Revision
    }

    var version = 1
    var slot = Slot.own
    var pending: Pending?
    /// Nil in files of versions without it, and when there is none.
    var originals: [Original]?
}
