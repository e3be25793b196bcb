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

    var version = 1
    var slot = Slot.own
    var pending: Pending?
}
