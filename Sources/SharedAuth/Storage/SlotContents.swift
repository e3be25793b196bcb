/// What was found in a slot: its accounts, and the revision they came with (nil: nothing is stored).
struct SlotContents: Sendable {
    var record = UserRecord()
    var revision: Revision?
}
